import { listAt, numberAt, textAt } from '#pkg/object';
import { ApiError } from './api-error.ts';
import { controlFrame, MessageReader, Opcode } from './frames.ts';
import type { Transport } from './transport.ts';
import type { Upgraded } from './upgrade.ts';

export interface ExecTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

export interface ExecResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs programs in pods. */
export interface PodExec {
  /** How the program ended. Throws when that could not be learnt; it may have run nevertheless. */
  exec(target: ExecTarget, command: readonly string[], signal: AbortSignal): Promise<ExecResult>;
}

const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
const MAX_BYTES = 64 * 1024 * 1024;

/** Over WebSocket, which the API server takes as a GET: that needs the rights `get` and `create` on `pods/exec`. */
export function podExec(transport: Transport): PodExec {
  return {
    exec: async ({ namespace, pod, container }, command, signal) => {
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/exec`;
      const query = { container, command, stdout: true, stderr: true };
      const upgraded = await transport.webSocket({ path, query, protocols: PROTOCOLS }, signal);
      return resultOf(await outputOf(upgraded, signal));
    },
  };
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
  /** How it ended, as a Status of the API; empty when the connection broke before. */
  readonly status: string;
}

async function outputOf({ socket, head }: Upgraded, signal: AbortSignal): Promise<Output> {
  const channels = new Channels();
  const messages = new MessageReader();
  const stop = (): void => void socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    socket.unshift(head);
    read: for await (const piece of socket) {
      for (const { opcode, data } of messages.push(piece as Buffer)) {
        if (opcode === Opcode.close) break read;
        if (opcode === Opcode.ping) socket.write(controlFrame(Opcode.pong, data));
        if (opcode === Opcode.binary || opcode === Opcode.text) channels.add(data);
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError) throw error;
    throw ApiError.unreachable('error: the connection to the pod broke', error);
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
  signal.throwIfAborted();
  return channels.output();
}

/** What came on each channel; the first byte of a message names it. */
class Channels {
  readonly #pieces = new Map<number, Buffer[]>();
  #bytes = 0;

  add(message: Buffer): void {
    const [channel] = message;
    if (channel === undefined) return;
    this.#bytes += message.length;
    if (this.#bytes > MAX_BYTES) throw ApiError.unreachable('error: the answer of the pod is too long');
    const pieces = this.#pieces.get(channel) ?? [];
    pieces.push(message.subarray(1));
    this.#pieces.set(channel, pieces);
  }

  output(): Output {
    const text = (channel: number): string => Buffer.concat(this.#pieces.get(channel) ?? []).toString('utf8');
    return { stdout: text(STDOUT), stderr: text(STDERR), status: text(STATUS) };
  }
}

function resultOf({ stdout, stderr, status }: Output): ExecResult {
  if (status === '') throw ApiError.unreachable('error: the connection to the pod ended before the program');
  const parsed = parseStatus(status);
  if (textAt(parsed, 'status') === 'Success') return { code: 0, stdout, stderr };
  const exit = listAt(parsed, 'details', 'causes').find((cause) => textAt(cause, 'reason') === 'ExitCode');
  const code = Number(textAt(exit, 'message'));
  if (textAt(parsed, 'reason') === 'NonZeroExitCode' && Number.isInteger(code))
    return { code, stdout, stderr };
  throw new ApiError(`error: cannot run a program in the pod: ${textAt(parsed, 'message') ?? status}`, {
    status: numberAt(parsed, 'code') ?? 0,
    reason: textAt(parsed, 'reason') ?? '',
  });
}

function parseStatus(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
