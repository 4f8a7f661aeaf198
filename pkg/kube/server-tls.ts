import { readFileSync } from 'node:fs';
import { UserError } from '#pkg/object';
import type { ServerTls } from './connection.ts';
import { fileFailure } from './file-failure.ts';
import type { ClusterChoice } from './kubeconfig-selection.ts';

type Trust = Pick<ClusterChoice, 'name' | 'caFile' | 'caData' | 'insecure' | 'tlsServerName'>;

/** Reads the authorities that the server's certificate is checked against. */
export function serverTls({ caFile, caData, insecure, tlsServerName }: Trust): ServerTls {
  const ca = pemOf(caFile, caData);
  if (ca !== undefined && insecure) {
    throw new UserError('error: specifying a root certificates file with the insecure flag is not allowed');
  }
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----')) {
    throw new UserError('error: unable to load root certificates: unable to parse bytes as PEM block');
  }
  return { ca, insecure, serverName: tlsServerName };
}

/** Inline data (base64) goes before a file, as in kubectl. */
export function pemOf(file: string | undefined, data: string | undefined): string | undefined {
  if (data) return Buffer.from(data, 'base64').toString('utf8');
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UserError(`error: ${fileFailure(error, file)}`, { cause: error });
  }
}
