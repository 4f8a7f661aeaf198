import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '#pkg/clock';
import { findNow, type Finding } from '#pkg/dependents';
import { connect, kubeReader, refreshedTypes, type Connection } from '#pkg/kube';
import type { KubeObject } from '#pkg/object';
import { essentialsOf } from '#pkg/rules';
import { VERSION } from '../release.ts';

/** A question to the thread, or the word that nobody waits for its answer any more. */
export type LookRequest =
  | { readonly id: number; readonly subjects: readonly KubeObject[] }
  | { readonly id: number; readonly isOver: true };

export type LookReply =
  | { readonly id: number; readonly findings: readonly Finding[] }
  | { readonly id: number; readonly failure: string };

/** Bounds how much of a long list is in memory at a time. */
const PAGE_SIZE = 2_500;

/** What the thread does: lists, parses and judges, away from the loop that answers the webhook. */
export async function serveLooks(): Promise<void> {
  const connection = workerData as Connection;
  const transport = await connect(connection, {
    userAgent: `rook-deps-controller/${VERSION}`,
    onWarning: () => undefined,
  });
  const reader = kubeReader(transport, {
    types: refreshedTypes(transport, systemClock),
    asksDefinitions: true,
    keep: { pageSize: PAGE_SIZE, of: essentialsOf },
  });
  const reply = (answer: LookReply): void => parentPort?.postMessage(answer);
  const underWay = new Map<number, AbortController>();
  parentPort?.on('message', (request: LookRequest) => {
    const { id } = request;
    if ('isOver' in request) {
      underWay.get(id)?.abort(new Error('nobody waits for it'));
      return;
    }
    const ending = new AbortController();
    underWay.set(id, ending);
    findNow(reader, request.subjects, ending.signal)
      .then(
        (findings) => reply({ id, findings }),
        (error: unknown) => reply({ id, failure: error instanceof Error ? error.message : String(error) }),
      )
      .finally(() => underWay.delete(id));
  });
}
