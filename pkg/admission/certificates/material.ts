import { isIP } from 'node:net';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isToken } from '../path-token.ts';

/** A certificate with its private key, both PEM. */
export interface ServingCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** What the Secret holds, as far as it is there. Nothing has been checked: people edit Secrets. */
export interface Material {
  readonly authority: Partial<ServingCertificate>;
  readonly serving: Partial<ServingCertificate>;
  /** The CA before, trusted for as long as something may be served that it signed. */
  readonly previousAuthority?: string | undefined;
  /** The part of the webhook's paths that only the API server knows. */
  readonly token?: string | undefined;
}

/** Entries of the Secret, decoded. */
export type SecretData = Readonly<Record<string, string>>;

export function materialOf(data: SecretData): Material {
  const token = data['path-token'] ?? '';
  return {
    authority: pair(data['ca.crt'], data['ca.key']),
    serving: pair(data['tls.crt'], data['tls.key']),
    previousAuthority: data['previous-ca.crt'] || undefined,
    token: isToken(token) ? token : undefined,
  };
}

/** Exactly these entries are written: whatever else is in the Secret goes. */
export function secretDataOf({ authority, serving, previousAuthority, token }: Material): SecretData {
  return {
    'ca.crt': authority.certificate ?? '',
    'ca.key': authority.key ?? '',
    'tls.crt': serving.certificate ?? '',
    'tls.key': serving.key ?? '',
    ...(previousAuthority !== undefined && { 'previous-ca.crt': previousAuthority }),
    ...(token !== undefined && { 'path-token': token }),
  };
}

/** A certificate authority in force. */
export interface Authority {
  readonly pem: string;
  readonly fromMs: number;
  readonly untilMs: number;
  /** False: its key is lost, so it vouches for what it has signed and nothing else. */
  readonly canSign: boolean;
}

/** A serving certificate that the webhook's clients accept. */
export interface Serving {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly signedBy: 'authority' | 'previous';
}

/** What of the material is good at a time. Whatever is unreadable, expired or does not fit is absent. */
export interface Inspection {
  readonly authority?: Authority | undefined;
  readonly previous?: Authority | undefined;
  readonly serving?: Serving | undefined;
}

export function inspect(material: Material, names: readonly string[], nowMs: number): Inspection {
  const { certificate, key } = material.authority;
  const authority = authorityOf(certificate, key, nowMs);
  const previous = authorityOf(material.previousAuthority, undefined, nowMs);
  return { authority, previous, serving: servingOf(material.serving, { authority, previous }, names, nowMs) };
}

/** PEM of all CAs that clients must trust now. */
export function bundleOf(material: Material, nowMs: number): string {
  const { authority, previous } = inspect(material, [], nowMs);
  return [authority?.pem, previous?.pem].filter((pem) => pem !== undefined).join('');
}

function authorityOf(pem: string | undefined, key: string | undefined, nowMs: number): Authority | undefined {
  const certificate = read(pem);
  if (!certificate?.ca || !isInForce(certificate, nowMs)) return undefined;
  // Written anew: a Secret may hold more than one certificate, or text around it.
  return {
    pem: certificate.toString(),
    ...periodOf(certificate),
    canSign: isOurKind(certificate) && fits(certificate, key),
  };
}

function servingOf(
  { certificate: pem, key }: Partial<ServingCertificate>,
  { authority, previous }: Pick<Inspection, 'authority' | 'previous'>,
  names: readonly string[],
  nowMs: number,
): Serving | undefined {
  const certificate = read(pem);
  if (!certificate || !isInForce(certificate, nowMs) || !fits(certificate, key)) return undefined;
  if (!names.every((name) => isFor(certificate, name))) return undefined;
  const period = periodOf(certificate);
  if (isSignedBy(certificate, authority)) return { ...period, signedBy: 'authority' };
  if (isSignedBy(certificate, previous)) return { ...period, signedBy: 'previous' };
  return undefined;
}

/** The only keys that we sign with. */
function isOurKind({ publicKey }: X509Certificate): boolean {
  return publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1';
}

function isFor(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
}

function isSignedBy(certificate: X509Certificate, authority: Authority | undefined): boolean {
  const issuer = read(authority?.pem);
  return issuer !== undefined && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isInForce(certificate: X509Certificate, nowMs: number): boolean {
  const { fromMs, untilMs } = periodOf(certificate);
  return fromMs <= nowMs && nowMs < untilMs;
}

function periodOf(certificate: X509Certificate): { readonly fromMs: number; readonly untilMs: number } {
  return { fromMs: certificate.validFromDate.getTime(), untilMs: certificate.validToDate.getTime() };
}

function fits(certificate: X509Certificate, key: string | undefined): boolean {
  if (!key) return false;
  try {
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function read(pem: string | undefined): X509Certificate | undefined {
  if (!pem) return undefined;
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function pair(certificate: string | undefined, key: string | undefined): Partial<ServingCertificate> {
  return { ...(certificate && { certificate }), ...(key && { key }) };
}
