import { expect, test } from 'vitest';
import { Kinds, type KubeObject } from '#pkg/object';
import { anObject } from '#test/fixtures/objects.ts';
import { aNode } from '#test/fixtures/osds.ts';
import { fakeReader } from '#test/fakes/reader.ts';
import { execRunner, type ExecPorts, type ExecTarget } from './exec-runner.ts';
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

const operator = (name: string, parts?: PodParts): KubeObject => aPod('rook-ceph-operator', name, parts);
const toolbox = (name: string, parts?: PodParts): KubeObject => aPod('rook-ceph-tools', name, parts);

interface Call {
  readonly target: ExecTarget;
  readonly line: string;
}

type Exec = (pod: string) => Finished | Error;

function setUp(
  pods: readonly KubeObject[],
  answer: Exec = () => OK,
  parts: Partial<ExecPorts> = {},
): { readonly runner: ReturnType<typeof execRunner>; readonly calls: Call[]; readonly lists: () => number } {
  const calls: Call[] = [];
  const reader = fakeReader(pods);
  const exec: ExecPorts['exec'] = (target, command) => {
    calls.push({ target, line: command.join(' ') });
    const outcome = answer(target.pod);
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
  };
  const runner = execRunner('rook-ceph', { reader, exec, ...parts });
  return { runner, calls, lists: () => reader.requests.length };
}

test('the operator is asked with the configuration of the cluster, and no key in sight', async () => {
  const { runner, calls } = setUp([toolbox('tools'), operator('op', { namespace: 'rook-operator' })]);
  await runner.run(STATUS, signal);
  expect(calls).toEqual([
    {
      target: { namespace: 'rook-operator', pod: 'op', container: 'rook-ceph-operator' },
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
