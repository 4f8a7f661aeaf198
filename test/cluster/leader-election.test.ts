import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { fieldAt, isConflict, isAlreadyExists, textAt, type KubeObject } from '#pkg/object';
import { controlPlane, describeOnCluster, freshNamespace } from './control-plane.ts';
import { electorOn, openLeases, type Said } from './leader-election-process.ts';

const PROGRAM = join(import.meta.dirname, 'leader-election-process.ts');
const signal = AbortSignal.timeout(55_000);
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

/** Starts an elector in a process of its own. */
function candidate(namespace: string, identity: string) {
  const args = [PROGRAM, controlPlane().kubeconfig, namespace, identity];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const heard: Said[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (what) => heard.push(what as Said));
  const hears = async (what: Said): Promise<void> => {
    while (!heard.includes(what)) await once(lines, 'line', { signal });
  };
  const end = async (how: NodeJS.Signals): Promise<void> => {
    const exited = once(child, 'exit', { signal });
    child.kill(how);
    await exited;
  };
  return { hears, end, heard };
}

async function theLease(namespace: string): Promise<KubeObject> {
  const { leases, close } = await openLeases(controlPlane().kubeconfig);
  const lease = await leases.get(namespace, 'controller', signal);
  close();
  if (!lease) throw new Error('there is no lease');
  return lease;
}

function timeOf(lease: KubeObject, field: string): number {
  return Date.parse(textAt(lease, 'spec', field) ?? '');
}

describeOnCluster('leader election on a real API server', () => {
  test('a killed leader is replaced when its lease has run out, and not before', async () => {
    const namespace = await freshNamespace('leader');
    const first = candidate(namespace, 'first');
    await first.hears('working');
    const second = candidate(namespace, 'second');
    // Long enough to see the first renew several times.
    const before = await theLease(namespace);
    await expect
      .poll(async () => textAt(await theLease(namespace), 'spec', 'renewTime'), { timeout: 10_000 })
      .not.toBe(textAt(before, 'spec', 'renewTime'));
    expect(second.heard).toEqual([]);

    await first.end('SIGKILL');
    const left = await theLease(namespace);
    await second.hears('working');
    const taken = await theLease(namespace);
    expect(fieldAt(taken, 'spec')).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1 });
    // Both processes have the time of this machine.
    const silenceMs = timeOf(taken, 'acquireTime') - timeOf(left, 'renewTime');
    expect(silenceMs).toBeGreaterThanOrEqual(3_000);
  });

  test('a leader that is told to stop gives the lease back, and the next has it at once', async () => {
    const namespace = await freshNamespace('leader');
    const first = candidate(namespace, 'first');
    await first.hears('working');
    await first.end('SIGTERM');
    expect(first.heard).toEqual(['working', 'idle']);
    expect(fieldAt(await theLease(namespace), 'spec', 'holderIdentity')).toBe('');

    const { leases, close } = await openLeases(controlPlane().kubeconfig);
    const before = performance.now();
    await electorOn(leases, namespace, 'next').run(signal, async () => {
      // Far less than the lease's 3 s.
      expect(performance.now() - before).toBeLessThan(2_000);
      const { holderIdentity, renewTime } = fieldAt(await theLease(namespace), 'spec') as Record<
        string,
        string
      >;
      expect(holderIdentity).toBe('next');
      expect(renewTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    });
    close();
  });

  test('of many who want a new lease one gets it, and each in turn', async () => {
    const namespace = await freshNamespace('leader');
    const { leases, close } = await openLeases(controlPlane().kubeconfig);
    let working = 0;
    const turns: string[] = [];
    await Promise.all(
      ['a', 'b', 'c', 'd'].map((identity) =>
        electorOn(leases, namespace, identity).run(signal, async () => {
          working += 1;
          expect(working).toBe(1);
          turns.push(identity);
          await theLease(namespace);
          working -= 1;
        }),
      ),
    );
    close();
    expect(turns.toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('the API server refuses to update an old version, and to create a second lease', async () => {
    const namespace = await freshNamespace('leader');
    const { leases, close } = await openLeases(controlPlane().kubeconfig);
    const lease: KubeObject = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { namespace, name: 'controller' },
      spec: { holderIdentity: 'a', leaseDurationSeconds: 1 },
    };
    expect(await leases.get(namespace, 'controller', signal)).toBeUndefined();
    const old = await leases.create(lease, signal);
    const renewed = { ...old, spec: { holderIdentity: 'a', leaseDurationSeconds: 2 } };
    expect(await leases.update(renewed, signal)).toMatchObject({ spec: { leaseDurationSeconds: 2 } });
    await expect(leases.update(renewed, signal)).rejects.toSatisfy(isConflict);
    await expect(leases.create(lease, signal)).rejects.toSatisfy(isAlreadyExists);
    close();
  });
});
