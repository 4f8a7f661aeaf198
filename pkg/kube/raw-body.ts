import { apiErrorOf } from './api-error.ts';
import type { Transport } from './transport.ts';

/** What the server has at a path, whatever it is. Throws an ApiError for what it refuses. */
export async function rawBody(transport: Transport, path: string, signal: AbortSignal): Promise<string> {
  const answer = await transport.request({ method: 'GET', path }, signal);
  if (answer.status < 200 || answer.status > 299) throw apiErrorOf(answer, 'GET');
  return answer.body;
}
