import { expect, test } from 'vitest';
import { CephSilent } from '#pkg/ceph';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import { isHiccup } from './hiccup.ts';
import { Unlisted } from './observe.ts';

test.for([
  { name: 'a server that does not answer', error: new Refusal(0, ''), is: true },
  { name: 'a server that is busy', error: new Refusal(429, 'TooManyRequests'), is: true },
  { name: 'a server that was too slow', error: new Refusal(408, 'Timeout'), is: true },
  { name: 'a server in trouble', error: new Refusal(503, 'ServiceUnavailable'), is: true },
  { name: 'a Ceph that does not answer', error: new CephSilent('no answer'), is: true },
  {
    name: 'a list that did not come',
    error: new Unlisted({ what: 'Pod', reason: 'Error from server (InternalError): etcdserver: no leader' }),
    is: true,
  },
  {
    name: 'a list that is forbidden',
    error: new Unlisted({ what: 'Pod', reason: 'forbidden: pods' }),
    is: false,
  },
  { name: 'a lack of rights', error: new Refusal(403, 'Forbidden'), is: false },
  { name: 'a lack of credentials', error: new Refusal(401, 'Unauthorized'), is: false },
  { name: 'something that is gone', error: new Refusal(404, 'NotFound'), is: false },
  { name: 'something invalid', error: new Refusal(422, 'Invalid'), is: false },
  { name: 'a mistake of ours', error: new TypeError('x is not a function'), is: false },
])('$name is a hiccup: $is', ({ error, is }) => {
  expect(isHiccup(error)).toBe(is);
});
