import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type { ServingCertificate } from './material.ts';
import type { CertificatePolicy } from './policy.ts';
import { provideReflection } from './reflection.ts';

const KEY = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;

/** Large, and of use to the controller alone. */
async function library() {
  provideReflection();
  return import('@peculiar/x509');
}

/** Makes a CA that may sign serving certificates and no further CAs. */
export async function createAuthority(policy: CertificatePolicy, nowMs: number): Promise<ServingCertificate> {
  const x509 = await library();
  const keys = await newKeys();
  const serialNumber = newSerial();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber,
    // A name of its own: during a rotation two of them are trusted.
    name: `CN=rook-deps webhook CA ${serialNumber.slice(-8)}`,
    notBefore: new Date(nowMs - policy.backdateMs),
    notAfter: new Date(nowMs + policy.authorityMs),
    keys,
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem') + '\n', key: await pemOf(keys.privateKey) };
}

/** Makes a serving certificate for host names and addresses, which ends with its CA at the latest. */
export async function issueServing(
  authority: ServingCertificate,
  names: readonly string[],
  policy: CertificatePolicy,
  nowMs: number,
): Promise<ServingCertificate> {
  const x509 = await library();
  const issuer = new x509.X509Certificate(authority.certificate);
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    // Clients read the alternative names; a common name of a Service could be too long.
    subject: 'CN=rook-deps webhook',
    issuer: issuer.subjectName,
    notBefore: new Date(Math.max(nowMs - policy.backdateMs, issuer.notBefore.getTime())),
    notAfter: new Date(Math.min(nowMs + policy.servingMs, issuer.notAfter.getTime())),
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority.key),
    signingAlgorithm: SIGNATURE,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem') + '\n', key: await pemOf(keys.privateKey) };
}

/** The names under which the API server calls a Service. */
export function serviceNames(service: string, namespace: string): string[] {
  return [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`];
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString();
}

async function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' });
  return webcrypto.subtle.importKey('pkcs8', der, KEY, false, ['sign']);
}

/** Positive, and not shorter than written: 16 bytes that start with neither a sign bit nor a zero. */
function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}
