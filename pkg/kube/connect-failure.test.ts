import { expect, test } from 'vitest';
import { connectFailure } from './connect-failure.ts';

const url = new URL('https://kube.example.com:6443/version');
const failure = (code: string, fields: object = {}): Error =>
  Object.assign(new Error('raw'), { code, ...fields });

test.for([
  { error: failure('SELF_SIGNED_CERT_IN_CHAIN'), says: 'x509: certificate signed by unknown authority' },
  { error: failure('CERT_HAS_EXPIRED'), says: 'x509: certificate has expired or is not yet valid' },
  {
    error: failure('ERR_TLS_CERT_ALTNAME_INVALID', {
      host: 'a.b',
      cert: { subjectaltname: 'DNS:x, DNS:y, IP Address:1.2.3.4' },
    }),
    says: 'x509: certificate is valid for x, y, not a.b',
  },
  {
    error: failure('ERR_TLS_CERT_ALTNAME_INVALID', {
      host: '9.9.9.9',
      cert: { subjectaltname: 'DNS:x, IP Address:1.2.3.4' },
    }),
    says: 'x509: certificate is valid for 1.2.3.4, not 9.9.9.9',
  },
  {
    error: failure('ERR_TLS_CERT_ALTNAME_INVALID', { host: '9.9.9.9', cert: { subjectaltname: 'DNS:x' } }),
    says: "x509: cannot validate certificate for 9.9.9.9 because it doesn't contain any IP SANs",
  },
  {
    error: failure('ETIMEDOUT', { address: '10.0.0.1' }),
    says: 'dial tcp 10.0.0.1:6443: connect: connection timed out',
  },
  {
    error: failure('EHOSTUNREACH', { address: 'fd00::1' }),
    says: 'dial tcp [fd00::1]:6443: connect: no route to host',
  },
  { error: failure('DIAL_TIMEOUT'), says: 'dial tcp kube.example.com:6443: i/o timeout' },
  { error: failure('ECONNRESET'), says: 'read: connection reset by peer' },
])('$error.code reads: $says', ({ error, says }) => {
  const { message, isUnreachable } = connectFailure(error, url);
  expect(message).toMatch(/^Unable to connect to the server: /);
  expect(message.endsWith(says)).toBe(true);
  expect(isUnreachable).toBe(true);
});
