import { getServers } from 'node:dns';
import { STATUS_CODES } from 'node:http';
import { isIP } from 'node:net';
import { textAt } from '#pkg/object';
import { ApiError } from './api-error.ts';
import { errorCode } from './file-failure.ts';

const UNKNOWN_AUTHORITY = 'x509: certificate signed by unknown authority';

const CERTIFICATE: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  INVALID_CA: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'x509: certificate has expired or is not yet valid',
  INVALID_PURPOSE: 'x509: certificate specifies an incompatible key usage',
};

const DIALLING: Readonly<Record<string, string>> = {
  ETIMEDOUT: 'connect: connection timed out',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  EADDRNOTAVAIL: 'connect: cannot assign requested address',
  EACCES: 'connect: permission denied',
  DIAL_TIMEOUT: 'i/o timeout',
};

const OTHER: Readonly<Record<string, string>> = {
  TLS_HANDSHAKE_TIMEOUT: 'net/http: TLS handshake timeout',
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'tls: private key does not match public key',
  EPIPE: 'write: broken pipe',
};

/** By the reason that OpenSSL gives, which Node hides in the message of an EPROTO. */
const HANDSHAKE: Readonly<Record<string, string>> = {
  'wrong version number': 'http: server gave HTTP response to HTTPS client',
  'packet length too long': 'http: server gave HTTP response to HTTPS client',
  'tlsv13 alert certificate required': 'remote error: tls: certificate required',
  'tlsv1 alert unknown ca': 'remote error: tls: unknown certificate authority',
  'sslv3 alert bad certificate': 'remote error: tls: bad certificate',
  'ssl/tls alert bad certificate': 'remote error: tls: bad certificate',
};

/** A failure below HTTP in the words kubectl has for it. */
export function connectFailure(error: unknown, url: URL): ApiError {
  const message = error instanceof Error ? error.message : '';
  // The SOCKS library gives no code, and an unreachable proxy reads like an unreachable server, as in kubectl.
  const code = errorCode(error) ?? (message.includes('ECONNREFUSED') ? 'ECONNREFUSED' : '');
  if (code === 'ECONNREFUSED') {
    const refused = `The connection to the server ${url.host} was refused - did you specify the right host or port?`;
    return ApiError.unreachable(refused, error);
  }
  return ApiError.unreachable(`Unable to connect to the server: ${goWords(error, code, url)}`, error);
}

function goWords(error: unknown, code: string, url: URL): string {
  const certificate = CERTIFICATE[code];
  if (certificate) return `tls: failed to verify certificate: ${certificate}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `tls: failed to verify certificate: ${wrongName(error)}`;
  const dialling = DIALLING[code];
  if (dialling) return `dial tcp ${addressOf(error, url)}: ${dialling}`;
  if (code === 'ENOTFOUND') return `${lookup(url)}: no such host`;
  if (code === 'EAI_AGAIN') return `${lookup(url)}: server misbehaving`;
  const message = error instanceof Error ? error.message : String(error);
  // Node says the same code for a reset and for a peer that closes before it answers.
  if (code === 'ECONNRESET')
    return /hang up|before secure/.test(message) ? 'EOF' : 'read: connection reset by peer';
  const proxyStatus = /^Bad response: (\d+)$/.exec(message)?.[1];
  if (proxyStatus) return STATUS_CODES[proxyStatus] ?? message;
  const reason = /SSL routines:[^:]*:([^:]+):/.exec(message)?.[1];
  if (reason) return HANDSHAKE[reason] ?? `tls: ${reason}`;
  return OTHER[code] ?? message;
}

function lookup({ hostname }: URL): string {
  const [resolver] = getServers();
  return `dial tcp: lookup ${hostname}${resolver ? ` on ${resolver}${/:\d+$/.test(resolver) ? '' : ':53'}` : ''}`;
}

function addressOf(error: unknown, url: URL): string {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const host = textAt(error, 'address') ?? url.hostname.replaceAll(/[[\]]/g, '');
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Go lists the names of the same sort as the one it looked for. */
function wrongName(error: unknown): string {
  const wanted = textAt(error, 'host') ?? '';
  const names = (textAt(error, 'cert', 'subjectaltname') ?? '').split(', ');
  if (isIP(wanted)) {
    const addresses = names.filter((name) => name.startsWith('IP Address:')).map((name) => name.slice(11));
    if (addresses.length > 0) return `x509: certificate is valid for ${addresses.join(', ')}, not ${wanted}`;
    return `x509: cannot validate certificate for ${wanted} because it doesn't contain any IP SANs`;
  }
  const hosts = names.filter((name) => name.startsWith('DNS:')).map((name) => name.slice(4));
  if (hosts.length > 0) return `x509: certificate is valid for ${hosts.join(', ')}, not ${wanted}`;
  return `x509: certificate is not valid for any names, but wanted to match ${wanted}`;
}
