import { expect, test } from 'vitest';
import { webhookLack } from './probe.ts';

const signal = new AbortController().signal;

function failure(status: number, serverMessage: string): Error {
  return Object.assign(new Error(`Error from server: ${serverMessage}`), { status, serverMessage });
}

test.for([
  {
    name: 'a refusal of the webhook is an answer',
    error: failure(403, 'admission webhook "usages.rook-deps.io" denied the request: no'),
    lack: undefined,
  },
  {
    name: 'a webhook that cannot be called is none',
    error: failure(500, 'Internal error occurred: failed calling webhook "usages.rook-deps.io": refused'),
    lack: 'Internal error occurred: failed calling webhook "usages.rook-deps.io": refused',
  },
  {
    name: 'nor is a definition that is not served yet',
    error: failure(404, 'no matches for kind "ClusterUsage" in group "rook-deps.io"'),
    lack: 'no matches for kind "ClusterUsage" in group "rook-deps.io"',
  },
])('$name', async ({ error, lack }) => {
  expect(await webhookLack({ create: () => Promise.reject(error) }, 'n', signal)).toBe(lack);
});

test('nothing is stored by asking', async () => {
  const asked: unknown[] = [];
  const writer = {
    create: (object: unknown, options: unknown) => {
      asked.push(options);
      return Promise.resolve(object as never);
    },
  };
  expect(await webhookLack(writer, 'n', signal)).toBeUndefined();
  expect(asked).toEqual([{ dryRun: true }]);
});

test('what is no answer of the server is a failure', async () => {
  const writer = { create: () => Promise.reject(new Error('a bug')) };
  await expect(webhookLack(writer, 'n', signal)).rejects.toThrow('a bug');
});
