import { describe, expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import { anObject } from '#test/fixtures/objects.ts';
import { aNode } from '#test/fixtures/osds.ts';
import { fakeReader } from '#test/fakes/reader.ts';
import { execRunner, type ExecPorts } from './exec-runner.ts';
import type { ExecTarget } from './places.ts';
import { CephSilent, type Finished } from './runner.ts';

const { signal } = new AbortController();
const STATUS = { program: 'ceph', args: ['status'], timeoutMs: 11_000 } as const;
const LIST = { program: 'rbd', args: ['ls'], timeoutMs: 11_000 } as const;
const OK: Finished = { code: 0, stdout: '{}', stderr: '' };

interface PodParts {
  readonly namespace?: string;
  readonly node?: string;
  readonly phase?: string;
  readonly ready?: boolean;
  readonly containers?: readonly string[];
  readonly deletionTimestamp?: string;
}

function aPod(app: string, name: string, parts: PodParts = {}): KubeObject {
  const { namespace = 'rook-ceph', node = 'n1', phase = 'Running', ready = true, containers = [app] } = parts;
  return anObject(Kinds.Pod, name, {
    namespace,
    labels: { app },
    ...(parts.deletionTimestamp ? { deletionTimestamp: parts.deletionTimestamp } : {}),
    spec: { nodeName: node, containers: containers.map((container) => ({ name: container })) },
    status: { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  });
}

/** An OSD that says from where it was made. */
function aDaemon(operatorNamespace: string, namespace = 'rook-ceph'): KubeObject {
  const labels = { 'rook.io/operator-namespace': operatorNamespace };
  return anObject(Kinds.Deployment, 'rook-ceph-osd-0', { namespace, labels });
}

/** Accounts of these namespaces may change every CephCluster; without any, nobody may ask. */
function reviewer(trusted: readonly string[] | undefined): NonNullable<ExecPorts['writer']> {
  return {
    createReview: ({ spec }) => {
      if (!trusted) return Promise.reject(Object.assign(new Error('forbidden'), { status: 403 }));
      const { user, resourceAttributes } = spec as { user: string; resourceAttributes: object };
      expect(resourceAttributes).toMatchObject({ verb: 'update', namespace: 'rook-ceph' });
      const allowed = trusted.includes(user.split(':')[2] ?? '');
      return Promise.resolve({ status: { allowed } });
    },
  };
}

const operator = (name: string, parts?: PodParts): KubeObject => aPod('rook-ceph-operator', name, parts);
const toolbox = (name: string, parts?: PodParts): KubeObject => aPod('rook-ceph-tools', name, parts);

interface Call {
  readonly target: ExecTarget;
  readonly line: string;
}

/** `hangs` until whoever asked has enough. */
type Exec = (pod: string, line: string) => Finished | Error | 'hangs';

function setUp(
  pods: readonly KubeObject[],
  answer: Exec = () => OK,
  { fsid, ...parts }: Partial<ExecPorts> & { readonly fsid?: string } = {},
): { readonly runner: ReturnType<typeof execRunner>; readonly calls: Call[]; readonly lists: () => number } {
  const calls: Call[] = [];
  let lists = 0;
  // Of what there is at the moment: the test may change it.
  const reader: ExecPorts['reader'] = {
    get: (...args) => fakeReader([...pods]).get(...args),
    list: (...args) => {
      lists += 1;
      return fakeReader([...pods]).list(...args);
    },
  };
  const exec: ExecPorts['exec'] = (target, command, aborted) => {
    const line = command.join(' ');
    calls.push({ target, line });
    const outcome = answer(target.pod, line);
    if (outcome === 'hangs')
      return new Promise((_, reject) => {
        aborted.addEventListener('abort', () => reject(aborted.reason as Error));
      });
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
  };
  const runner = execRunner({ namespace: 'rook-ceph', fsid }, { reader, exec, ...parts });
  return { runner, calls, lists: () => lists };
}

test('the operator is asked with the configuration of the cluster, and no key in sight', async () => {
  const { runner, calls } = setUp([operator('op')]);
  await runner.run(STATUS, signal);
  expect(calls).toEqual([
    {
      target: { namespace: 'rook-ceph', pod: 'op', container: 'rook-ceph-operator' },
      line: 'timeout -k 1 10 ceph --conf /var/lib/rook/rook-ceph/rook-ceph.config --connect-timeout 10 status',
    },
  ]);
});

test('the toolbox of the cluster, and of no other, is asked where there is no operator', async () => {
  const { runner, calls } = setUp([toolbox('other', { namespace: 'rook-2' }), toolbox('tools')]);
  await runner.run(STATUS, signal);
  expect(calls.map(({ target, line }) => [target.pod, line])).toEqual([
    ['tools', 'timeout -k 1 10 ceph --connect-timeout 10 status'],
  ]);
});

test('pods that are not ready, not running or going are left out', async () => {
  const { runner, calls } = setUp([
    operator('a', { ready: false }),
    operator('b', { phase: 'Pending' }),
    operator('c', { deletionTimestamp: '2026-11-18T00:00:00Z' }),
    operator('d'),
  ]);
  await runner.run(STATUS, signal);
  expect(calls.map(({ target }) => target.pod)).toEqual(['d']);
});

test('a pod on a node under maintenance is the last choice', async () => {
  const pods = [operator('op', { node: 'a' }), toolbox('tools', { node: 'b' })];
  const { runner, calls } = setUp(pods, undefined, { avoids: (node) => node === 'a' });
  await runner.run(STATUS, signal);
  expect(calls.map(({ target }) => target.pod)).toEqual(['tools']);
});

test('a pod on a cordoned node is the last choice, and still one', async () => {
  const cordoned = aNode('a', { unschedulable: true });
  const pods = [operator('op', { node: 'a' }), toolbox('tools', { node: 'b' }), cordoned, aNode('b')];
  const { runner, calls } = setUp(pods, (pod) => (pod === 'tools' ? new Error('gone') : OK));
  expect(await runner.run(STATUS, signal)).toEqual(OK);
  expect(calls.map(({ target }) => target.pod)).toEqual(['tools', 'op']);
});

test('of several operators, the one that knows the cluster answers', async () => {
  const stderr = "ObjectNotFound('RADOS object not found (error calling conf_read_file)')";
  const { runner, calls } = setUp(
    [operator('stranger', { namespace: 'x' }), operator('ours', { namespace: 'y' })],
    (pod) => (pod === 'ours' ? OK : { code: 1, stdout: '', stderr }),
    { writer: reviewer(['x', 'y']) },
  );
  expect(await runner.run(STATUS, signal)).toEqual(OK);
  expect(calls.map(({ target }) => target.pod)).toEqual(['stranger', 'ours']);
});

test('the pod that answered is asked again without a look at others', async () => {
  const { runner, calls, lists } = setUp([operator('op')]);
  await runner.run(STATUS, signal);
  const before = lists();
  await runner.run(STATUS, signal);
  expect(calls).toHaveLength(2);
  expect(lists()).toBe(before);
});

test('when the pod that answered is gone, another one is found', async () => {
  const gone = new Set<string>();
  const { runner, calls } = setUp([operator('op'), toolbox('tools')], (pod) =>
    gone.has(pod) ? new Error('pods "op" not found') : OK,
  );
  await runner.run(STATUS, signal);
  gone.add('op');
  expect(await runner.run(STATUS, signal)).toEqual(OK);
  expect(calls.map(({ target }) => target.pod)).toEqual(['op', 'op', 'tools']);
});

test('where Rook itself has to ask in the pod of the manager, so do we, but not with ceph', async () => {
  const manager = aPod('rook-ceph-mgr', 'mgr', { containers: ['mgr', 'cmd-proxy'] });
  const { runner, calls } = setUp([manager, operator('op')]);
  await runner.run(LIST, signal);
  await runner.run(STATUS, signal);
  expect(calls.map(({ target, line }) => [target.pod, target.container, line.split(' ')[4]])).toEqual([
    ['mgr', 'cmd-proxy', 'rbd'],
    ['op', 'rook-ceph-operator', 'ceph'],
  ]);
});

test.for([
  { name: 'no pod', pods: [], answer: () => OK, words: 'there is no ready pod of the Rook operator' },
  {
    name: 'a refusal of the API server',
    pods: [operator('op')],
    answer: () => new Error('forbidden: cannot create pods/exec'),
    words: 'in pod op: forbidden: cannot create pods/exec',
  },
  {
    name: 'a program that had to be ended',
    pods: [operator('op')],
    answer: () => ({ code: 124, stdout: '', stderr: '' }),
    words: 'in pod op: ceph had no answer within 10 s',
  },
  {
    name: 'a program that BusyBox had to end',
    pods: [operator('op')],
    answer: () => ({ code: 143, stdout: '', stderr: '' }),
    words: 'in pod op: ceph had no answer within 10 s',
  },
])('$name is silence that says why', async ({ pods, answer, words }) => {
  const run = setUp(pods, answer).runner.run(STATUS, signal);
  await expect(run).rejects.toThrow(CephSilent);
  await expect(run).rejects.toThrow(words);
});

test('a refusal of Ceph is an outcome, and no other pod is asked', async () => {
  const refused = { code: 22, stdout: '', stderr: 'Error EINVAL: bad' };
  const { runner, calls } = setUp([operator('op'), toolbox('tools')], () => refused);
  expect(await runner.run(STATUS, signal)).toEqual(refused);
  expect(calls).toHaveLength(1);
});

test('a pod that others follow has a third of the time, the last one all that is left', async () => {
  const { runner, calls } = setUp([operator('op'), toolbox('tools')], (pod) =>
    pod === 'op' ? new Error('gone') : OK,
  );
  await runner.run({ ...STATUS, timeoutMs: 15_000 }, signal);
  expect(calls.map(({ target, line }) => [target.pod, line.split(' ')[3]])).toEqual([
    ['op', '4'],
    ['tools', '14'],
  ]);
});

describe('a pod that hangs', () => {
  const BRIEF = { ...STATUS, timeoutMs: 600 };
  const hanging = (...names: readonly string[]): Exec => {
    return (pod) => (names.includes(pod) ? 'hangs' : OK);
  };

  test('leaves enough time for the next one', async () => {
    const { runner, calls } = setUp([operator('op'), toolbox('tools')], hanging('op'));
    const started = performance.now();
    expect(await runner.run(BRIEF, signal)).toEqual(OK);
    expect(performance.now() - started).toBeLessThan(BRIEF.timeoutMs);
    expect(calls.map(({ target }) => target.pod)).toEqual(['op', 'tools']);
  });

  test('does so also when it has answered before, and is not asked first again', async () => {
    const hung: string[] = [];
    const { runner, calls } = setUp([operator('op'), toolbox('tools')], (pod) => hanging(...hung)(pod, ''));
    await runner.run(BRIEF, signal);
    hung.push('op');
    expect(await runner.run(BRIEF, signal)).toEqual(OK);
    await runner.run(BRIEF, signal);
    expect(calls.map(({ target }) => target.pod)).toEqual(['op', 'op', 'tools', 'tools']);
  });

  test('is forgotten, so that one which came later is found', async () => {
    const pods = [operator('op')];
    const hung: string[] = [];
    const { runner, calls } = setUp(pods, (pod) => hanging(...hung)(pod, ''));
    await runner.run(BRIEF, signal);
    hung.push('op');
    await expect(runner.run(BRIEF, signal)).rejects.toThrow(CephSilent);
    pods.unshift(operator('newer'));
    expect(await runner.run(BRIEF, signal)).toEqual(OK);
    expect(calls.map(({ target }) => target.pod)).toEqual(['op', 'op', 'newer']);
  });

  test('is silence within the limit when there is no other', async () => {
    const { runner } = setUp([operator('op'), toolbox('tools')], hanging('op', 'tools'));
    const started = performance.now();
    await expect(runner.run(BRIEF, signal)).rejects.toThrow('had no answer within 0.');
    expect(performance.now() - started).toBeLessThan(2 * BRIEF.timeoutMs);
  });
});

test.for<{ readonly name: string; readonly later: readonly KubeObject[] }>([
  { name: 'is gone', later: [] },
  { name: 'is not ready any more', later: [operator('op', { ready: false })] },
  { name: 'is going', later: [operator('op', { deletionTimestamp: '2026-11-18T00:00:00Z' })] },
  { name: 'is on a node that was cordoned', later: [operator('op'), aNode('n1', { unschedulable: true })] },
])('the pod that answered, and $name, is not asked before others', async ({ later }) => {
  const pods = [operator('op')];
  const { runner, calls } = setUp(pods);
  await runner.run(STATUS, signal);
  pods.splice(0, 1, ...later, toolbox('tools', { node: 'n2' }));
  await runner.run(STATUS, signal);
  expect(calls.map(({ target }) => target.pod)).toEqual(['op', 'tools']);
});

describe('an operator elsewhere', () => {
  const fake = operator('fake', { namespace: 'aaa-tenant' });
  const ours = operator('ours', { namespace: 'rook-system' });

  test.for([
    { name: 'that the daemons name', daemons: [aDaemon('rook-system')], trusted: undefined },
    { name: 'that may change the CephCluster', daemons: [], trusted: ['rook-system'] },
    { name: 'of which both are true', daemons: [aDaemon('rook-system')], trusted: ['rook-system'] },
  ])('$name is asked, and nothing that looks like one', async ({ daemons, trusted }) => {
    const { runner, calls } = setUp([fake, ours, ...daemons], undefined, { writer: reviewer(trusted) });
    await runner.run(STATUS, signal);
    expect(calls.map(({ target, line }) => [target.pod, line.split(' ').slice(4, 7).join(' ')])).toEqual([
      ['ours', 'ceph --conf /var/lib/rook/rook-ceph/rook-ceph.config'],
    ]);
  });

  test.for([
    { name: 'nobody may ask about', daemons: [], trusted: undefined },
    { name: 'may not change the CephCluster', daemons: [], trusted: [] },
    { name: 'may not, although daemons name it', daemons: [aDaemon('aaa-tenant')], trusted: [] },
    {
      name: 'daemons of another cluster name',
      daemons: [aDaemon('aaa-tenant', 'aaa-tenant')],
      trusted: undefined,
    },
  ])('that $name is not asked, and told', async ({ daemons, trusted }) => {
    const { runner, calls } = setUp([fake, ...daemons], undefined, { writer: reviewer(trusted) });
    await expect(runner.run(STATUS, signal)).rejects.toThrow(
      "no toolbox in namespace rook-ceph; pod aaa-tenant/fake looks like Rook's operator, but it was not seen that it may update the CephCluster in namespace rook-ceph",
    );
    expect(calls).toEqual([]);
  });

  test('comes after what is beside the cluster', async () => {
    const pods = [ours, toolbox('tools'), operator('near'), aDaemon('rook-system')];
    const { runner, calls } = setUp(pods, (pod) => (pod === 'ours' ? OK : new Error('no')));
    await runner.run(STATUS, signal);
    expect(calls.map(({ target }) => target.pod)).toEqual(['near', 'tools', 'ours']);
  });
});

describe('where the identity of the cluster is known', () => {
  const answer: Exec = (pod, line) => {
    return line.endsWith(' fsid') ? { ...OK, stdout: pod === 'op' ? 'other\n' : 'abc\n' } : OK;
  };

  test('a pod that reaches another one is not asked, and each pod is asked for it once', async () => {
    const { runner, calls } = setUp([operator('op'), toolbox('tools')], answer, { fsid: 'abc' });
    await runner.run(STATUS, signal);
    await runner.run(STATUS, signal);
    expect(calls.map(({ target, line }) => [target.pod, line.split(' ').at(-1)])).toEqual([
      ['op', 'fsid'],
      ['tools', 'fsid'],
      ['tools', 'status'],
      ['tools', 'status'],
    ]);
  });

  test('no answer comes from another one', async () => {
    const { runner } = setUp([operator('op')], answer, { fsid: 'abc' });
    await expect(runner.run(STATUS, signal)).rejects.toThrow(
      'in pod op: this is the Ceph cluster other, and not abc',
    );
  });
});
