import { readFile } from 'node:fs/promises';
import type { Replica } from '../../../test/controller/local-install.ts';

/** What the controller itself tells. */
export interface Condition {
  /** The longest that its event loop kept anybody waiting since the last question, in milliseconds. */
  readonly lagMs: number;
  readonly residentBytes: number;
  readonly peakBytes: number;
}

export async function conditionOf({ healthPort, process: { pid } }: Replica): Promise<Condition> {
  const text = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
  const value = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return {
    lagMs: value('rook_deps_event_loop_lag_seconds{quantile="1"}') * 1000,
    residentBytes: value('process_resident_memory_bytes'),
    peakBytes: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024,
  };
}
