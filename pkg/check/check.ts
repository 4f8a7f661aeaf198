import { isForbidden, type KubeObject, type Reader, type ResourceTypes, type Writer } from '#pkg/object';

/** How something stands. What is not well comes with what to do about it. */
export type Finding =
  | { readonly result: 'ok'; readonly detail?: string | undefined }
  | { readonly result: 'warn' | 'fail'; readonly detail: string; readonly hint: string };

/** One thing to look at. */
export interface Check {
  readonly section: string;
  /** A statement that holds when all is well. */
  readonly title: string;
  look(signal: AbortSignal): Promise<Finding>;
  /** Without it nothing that comes after can be looked at. */
  readonly isVital?: boolean;
}

export interface CheckPorts {
  readonly reader: Reader;
  readonly writer: Pick<Writer, 'delete' | 'createReview'>;
  /** The body of whatever the server has at a path; throws what it refuses. */
  raw(path: string, signal: AbortSignal): Promise<string>;
  types(signal: AbortSignal): Promise<ResourceTypes>;
  /** Whatever is to be installed in a namespace, for comparison. */
  manifests(namespace: string): Promise<readonly KubeObject[]>;
  readonly plugin: { readonly version: string; readonly bundleHash: string | undefined };
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** A check and what it found. */
export interface Checked {
  readonly section: string;
  readonly title: string;
  readonly finding: Finding;
}

/** Looks at one thing after the other, and tells each at once. */
export async function runChecks(
  checks: readonly Check[],
  tell: (checked: Checked) => void,
  signal: AbortSignal,
): Promise<readonly Checked[]> {
  const all: Checked[] = [];
  for (const { section, title, look, isVital } of checks) {
    const finding = await look(signal).catch((error: unknown) => failed(error, signal));
    const checked = { section, title, finding };
    all.push(checked);
    tell(checked);
    if (isVital && finding.result === 'fail') break;
  }
  return all;
}

function failed(error: unknown, signal: AbortSignal): Finding {
  signal.throwIfAborted();
  const detail = error instanceof Error ? error.message : String(error);
  if (isForbidden(error)) return warning(`not looked at: ${detail}`, 'ask for the right to see this');
  return { result: 'fail', detail, hint: 'is the server reachable?' };
}

export const ok = (detail?: string): Finding => ({ result: 'ok', detail });
export const warning = (detail: string, hint: string): Finding => ({ result: 'warn', detail, hint });
export const failure = (detail: string, hint: string): Finding => ({ result: 'fail', detail, hint });
