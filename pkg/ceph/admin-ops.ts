import { textAt } from '#pkg/object';
import { parseAnswer, requiredTexts } from './answers.ts';
import { CephRefused, CephSilent, CephUnreadable } from './runner.ts';
import { signedHeaders } from './signature.ts';
import type { AccessKey } from './stored-things.ts';

/** How a gateway is asked over HTTP. */
export interface AdminOps {
  /** The names of all buckets, those of tenants as `tenant/name`. */
  buckets(endpoint: string, key: AccessKey, signal: AbortSignal): Promise<readonly string[]>;
}

/** With placement groups that do not serve, a gateway never answers. */
const TIMEOUT_MS = 10_000;

export function adminOps(now: () => number, timeoutMs = TIMEOUT_MS): AdminOps {
  return {
    buckets: async (endpoint, key, signal) => {
      const url = new URL('/admin/bucket?format=json', endpoint);
      const { status, body } = await get(url, signedHeaders('GET', url, key, now()), timeoutMs, signal);
      if (status !== 200) throw refusal(url, status, body);
      try {
        return requiredTexts(parseAnswer(body));
      } catch (error) {
        if (!(error instanceof CephUnreadable)) throw error;
        throw new CephUnreadable(`cannot read the buckets that ${url.origin} lists: ${error.message}`, error);
      }
    },
  };
}

interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

async function get(
  url: URL,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    // A redirection leads to somebody who was not meant, and who could say that there is nothing.
    const answer = await fetch(url, { headers, redirect: 'error', signal: AbortSignal.any([signal, limit]) });
    return { status: answer.status, body: await answer.text() };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted)
      throw new CephSilent(`${url.origin} did not answer within ${timeoutMs / 1000} s`, error);
    throw new CephSilent(`${url.origin} cannot be reached: ${reasonOf(error)}`, error);
  }
}

/** What fetch hides below "fetch failed". */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error) return textAt(cause, 'code') ?? cause.message;
  return error instanceof Error ? error.message : String(error);
}

function refusal(url: URL, status: number, body: string): CephRefused {
  const code = /"Code"\s*:\s*"(\w+)"|<Code>(\w+)<\/Code>/.exec(body);
  const words = code?.[1] ?? code?.[2];
  return new CephRefused(`${url.origin} answers ${status}${words ? ` ${words}` : ''}`, status);
}
