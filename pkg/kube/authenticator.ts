import { readFile } from 'node:fs/promises';
import { ApiError } from './api-error.ts';
import type { Connection, UserCredentials } from './connection.ts';
import { runExecPlugin, type ExecCredential } from './exec-credential.ts';
import { oidcAuthorization } from './oidc-login.ts';

/** Proof of who we are, for one request. */
export interface Identity {
  readonly authorization: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** True when asking again may give something better than a refused identity. */
  readonly renewable: boolean;
}

/** As in kubectl: a pod's token is rewritten long before it runs out. */
const TOKEN_FILE_MAX_AGE_MS = 60_000;

interface Held {
  readonly identity: Identity;
  /** Milliseconds since 1970. */
  readonly staleAtMs: number;
}

/** Hands out the user's identity; runs a credential plugin or a login once for all who ask meanwhile. */
export class Authenticator {
  readonly #user: UserCredentials;
  readonly #env: Connection['env'];
  readonly #now: () => number;
  #held: Promise<Held> | undefined;

  constructor({ user, env }: Pick<Connection, 'user' | 'env'>, now: () => number = Date.now) {
    this.#user = user;
    this.#env = env;
    this.#now = now;
  }

  async identity(signal: AbortSignal): Promise<Identity> {
    const before = this.#held;
    const held = await before;
    if (held && this.#now() < held.staleAtMs) return held.identity;
    // Another caller may have started to fetch while we looked.
    if (this.#held === before) this.#start(signal);
    return this.#held ? (await this.#held).identity : this.identity(signal);
  }

  /** After the server refused `refused`: another identity, unless someone else has fetched it already. */
  async renew(refused: Identity, signal: AbortSignal): Promise<Identity> {
    const before = this.#held;
    const held = await before;
    if (held?.identity === refused && this.#held === before) this.#held = undefined;
    return this.identity(signal);
  }

  #start(signal: AbortSignal): void {
    const held = this.#fetch(signal);
    this.#held = held;
    held.catch(() => {
      if (this.#held === held) this.#held = undefined;
    });
  }

  async #fetch(signal: AbortSignal): Promise<Held> {
    const { token, tokenFile, username, password, certificate, key, exec, authProvider, name } = this.#user;
    const plain = { authorization: undefined, certificate, key, renewable: false };
    const forGood = (authorization: string | undefined): Held => ({
      identity: { ...plain, authorization },
      staleAtMs: Infinity,
    });
    if (tokenFile) {
      const authorization = `Bearer ${(await contentOf(tokenFile)) ?? token ?? ''}`;
      const identity = { ...plain, authorization, renewable: true };
      return { identity, staleAtMs: this.#now() + TOKEN_FILE_MAX_AGE_MS };
    }
    if (token) return forGood(`Bearer ${token}`);
    if (username || password) return forGood(basic(username ?? '', password ?? ''));
    // A certificate is enough: kubectl then leaves the plugin alone.
    if (certificate) return forGood(undefined);
    if (exec) {
      const run = (): Promise<ExecCredential> => runExecPlugin(exec, this.#env, signal);
      const credential = await attempt('getting credentials', signal, run);
      return { identity: execIdentity(credential), staleAtMs: credential.expiresAtMs ?? Infinity };
    }
    if (authProvider) {
      const login = (): Promise<string | undefined> => oidcAuthorization(name, authProvider);
      return forGood(await attempt('failed to refresh token', signal, login));
    }
    return forGood(undefined);
  }
}

/** Undefined while the file cannot be read: it may be just being replaced. */
async function contentOf(file: string): Promise<string | undefined> {
  const content = await readFile(file, 'utf8').catch(() => '');
  return content.trim() || undefined;
}

function execIdentity({ token, certificate, key }: ExecCredential): Identity {
  return { authorization: token && `Bearer ${token}`, certificate, key, renewable: true };
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

async function attempt<T>(what: string, signal: AbortSignal, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    signal.throwIfAborted();
    const detail = error instanceof Error ? error.message : String(error);
    throw ApiError.unreachable(`Unable to connect to the server: ${what}: ${detail}`, error);
  }
}
