import type { RequestOptions } from 'node:https';
import type { AuthProvider } from './connection.ts';
import { saveTokens, TOKEN_FIELDS } from './oidc-tokens.ts';

/** The Authorization header of an OpenID Connect user, renewed at the identity provider when it has run out. */
export async function oidcAuthorization(
  userName: string,
  provider: AuthProvider,
): Promise<string | undefined> {
  // Only these users need the library: it is slow to load.
  const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js');
  const config: Record<string, string> = { ...provider.config };
  const client = new KubeConfig();
  client.loadFromClusterAndUser(
    { name: 'cluster', server: 'https://unused.invalid', skipTLSVerify: false },
    { name: userName, authProvider: { name: provider.name, config } },
  );
  const options: RequestOptions & { headers: Record<string, string> } = { headers: {} };
  await client.applyToHTTPSOptions(options);
  if (TOKEN_FIELDS.some((field) => config[field] !== provider.config[field])) {
    await saveTokens(provider.origin, userName, config);
  }
  return options.headers['Authorization'];
}
