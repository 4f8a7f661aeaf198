import { expect, test } from 'vitest';
import { apiErrorOf } from './api-error.ts';

const status = (fields: object): string => JSON.stringify({ kind: 'Status', ...fields });

test.for([
  {
    name: 'a Status with a reason',
    status: 403,
    body: status({ reason: 'Forbidden', message: 'pods is forbidden' }),
    says: 'Error from server (Forbidden): pods is forbidden',
  },
  {
    name: 'a Status without reason',
    status: 418,
    body: status({ message: 'teapot' }),
    says: 'Error from server: teapot',
  },
  {
    name: 'a webhook that could not be called',
    status: 500,
    body: status({
      reason: 'InternalError',
      message: `failed calling webhook "w": Post "https://w.svc:443/delete/${'0a'.repeat(32)}?timeout=5s": EOF`,
    }),
    says: 'Error from server (InternalError): failed calling webhook "w": Post "https://w.svc:443/delete/…?timeout=5s": EOF',
  },
  {
    name: 'a refused login',
    status: 401,
    body: status({ reason: 'Unauthorized', message: 'Unauthorized' }),
    says: 'error: You must be logged in to the server (Unauthorized)',
  },
  {
    name: 'an invalid object',
    status: 422,
    body: status({
      reason: 'Invalid',
      message: 'long',
      details: { kind: 'Pod', name: 'a', causes: [{ field: 'spec.x', message: 'wrong' }] },
    }),
    says: 'The Pod "a" is invalid: spec.x: wrong',
  },
  {
    name: 'text of a gateway',
    status: 502,
    body: '<html>bad\ngw</html>',
    says: 'Error from server (InternalError): an error on the server ("<html>bad\\ngw</html>") has prevented the request from succeeding',
  },
  {
    name: 'JSON that is no Status',
    status: 404,
    body: '{"a":1}',
    says: 'Error from server (NotFound): the server could not find the requested resource',
  },
  {
    name: 'an odd code',
    status: 418,
    body: '',
    says: 'Error from server: the server responded with the status code 418 but did not return more information',
  },
])('$name reads as in kubectl', ({ status: code, body, says }) => {
  const error = apiErrorOf({ status: code, body }, 'GET');
  expect(error.message).toBe(says);
  expect(error).toMatchObject({ status: code, exitCode: 1, isUnreachable: false });
});
