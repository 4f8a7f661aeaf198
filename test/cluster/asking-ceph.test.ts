import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { CephSilent, execRunner, type CephRunner } from '#pkg/ceph';
import { kubeReader, podExec } from '#pkg/kube';
import { Kinds } from '#pkg/object';
import type { DependencyReport } from '#pkg/verdict';
import { cephSample } from '../fixtures/ceph.ts';
import { served } from '../fixtures/served-objects.ts';
import {
  apply,
  controlPlane,
  describeOnCluster,
  freshNamespace,
  kubectl,
  runPlugin,
} from './control-plane.ts';
import { liveClient, type LiveClient } from './live-client.ts';
import { TestKubelet, type Asked, type Outcome } from './test-kubelet.ts';

const FSID = '4b7b0d2e-0d0e-4c6a-9f0e-6f0f5d3c2b1a';
const { signal } = new AbortController();

/** What the Ceph of this test knows: a pool with one image. */
const ANSWERS: readonly (readonly [string, unknown])[] = [
  ['osd dump', cephSample('20.2', 'osd-dump')],
  ['namespace ls', []],
  ['trash ls', []],
  ['ls --long', [{ image: 'disk', id: '1', size: 1, format: 2 }]],
  ['ls --pool', ['disk']],
];

function ceph({ line }: Asked): Outcome {
  if (line.endsWith(' fsid')) return { code: 0, stdout: `${FSID}\n` };
  const found = ANSWERS.find(([words]) => line.includes(words));
  return found
    ? { code: 0, stdout: JSON.stringify(found[1]) }
    : { code: 22, stdout: '', stderr: `Error EINVAL: ${line}` };
}

describeOnCluster('asking Ceph in pods, through the API server', () => {
  let ns = '';
  let client: LiveClient;
  let [good, hung]: TestKubelet[] = [];
  const made: string[] = [];

  const nodes = (): readonly string[] => [`${ns}-good`, `${ns}-hung`];
  function aPod(app: string, node: string): object {
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: app, namespace: ns, labels: { app } },
      spec: { nodeName: node, containers: [{ name: app, image: 'ceph' }] },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    };
  }
  async function makePod(app: string, at: 'good' | 'hung'): Promise<void> {
    await apply([aPod(app, `${ns}-${at}`)]);
    made.push(app);
  }
  function runner(fsid = FSID): CephRunner {
    const { transport, writer } = client;
    const ports = { reader: kubeReader(transport, {}), writer, exec: podExec(transport).exec };
    return execRunner({ namespace: ns, fsid }, ports);
  }

  beforeAll(async () => {
    ns = await freshNamespace('ask');
    client = await liveClient(controlPlane());
    good = await TestKubelet.start(ceph);
    hung = await TestKubelet.start(() => 'hangs');
    await apply([good.node(`${ns}-good`), hung.node(`${ns}-hung`)]);
  });
  afterEach(async () => {
    const pods = made.splice(0);
    if (pods.length > 0) await kubectl(['delete', 'pod', ...pods, '-n', ns, '--force', '--grace-period=0']);
    for (const kubelet of [good, hung]) kubelet?.asked.splice(0);
  });
  afterAll(async () => {
    await kubectl(['delete', 'node', ...nodes()]);
    client.transport.close();
    for (const kubelet of [good, hung]) kubelet?.stop();
  });

  test('why finds an image that only Ceph knows', async () => {
    await makePod('rook-ceph-operator', 'good');
    await apply([
      served(Kinds.CephCluster, 'ceph', ns, {}, { status: { ceph: { fsid: FSID } } }),
      served(Kinds.CephBlockPool, 'pool-host', ns),
    ]);
    const { stdout, stderr } = await runPlugin(['why', 'cephblockpool/pool-host', '-n', ns, '-o', 'json']);
    const report = JSON.parse(stdout) as DependencyReport;
    expect({ stderr, gaps: report.gaps, verdict: report.verdict }).toEqual({
      stderr: '',
      gaps: [],
      verdict: 'Blocked',
    });
    expect(JSON.stringify(report.causes)).toContain('disk');
    expect(good?.asked[0]).toMatchObject({
      pod: 'rook-ceph-operator',
      line: expect.stringMatching(`^timeout -k 1 14 ceph --conf /var/lib/rook/${ns}/${ns}.config .* fsid$`),
    });
  });

  test('an exit code and what was written come through', async () => {
    await makePod('rook-ceph-operator', 'good');
    const finished = await runner().run({ program: 'ceph', args: ['nonsense'], timeoutMs: 15_000 }, signal);
    expect(finished).toMatchObject({ code: 22, stderr: expect.stringContaining('Error EINVAL: ') });
  });

  test('a kubelet that hangs costs a third of the time, then the toolbox is asked, and the next time at once', async () => {
    await makePod('rook-ceph-operator', 'hung');
    await makePod('rook-ceph-tools', 'good');
    const [asking, question] = [
      runner(),
      { program: 'ceph', args: ['osd', 'dump'], timeoutMs: 9000 } as const,
    ];
    const started = performance.now();
    expect(await asking.run(question, signal)).toMatchObject({ code: 0 });
    expect(performance.now() - started).toBeLessThan(question.timeoutMs);
    await asking.run(question, signal);
    expect(hung?.asked).toHaveLength(1);
    expect(good?.asked.map(({ line }) => line.split(' ').at(-1))).toEqual(['fsid', 'dump', 'dump']);
  });

  test('where every kubelet hangs, Ceph is silent within the limit', async () => {
    await makePod('rook-ceph-operator', 'hung');
    const started = performance.now();
    const run = runner().run({ program: 'ceph', args: ['osd', 'dump'], timeoutMs: 2000 }, signal);
    await expect(run).rejects.toThrow(CephSilent);
    expect(performance.now() - started).toBeLessThan(4000);
  });

  test('a Ceph of another identity is not asked', async () => {
    await makePod('rook-ceph-operator', 'good');
    const run = runner('another').run({ program: 'ceph', args: ['osd', 'dump'], timeoutMs: 15_000 }, signal);
    await expect(run).rejects.toThrow(`this is the Ceph cluster ${FSID}, and not another`);
    expect(good?.asked).toHaveLength(1);
  });
});
