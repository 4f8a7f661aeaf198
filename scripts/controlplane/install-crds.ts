import { setTimeout as sleep } from 'node:timers/promises';
import { fieldAt, isRecord, listAt, textAt } from '#pkg/object';
import type { ControlPlane } from './control-plane.ts';
import { crdFiles } from './crds.ts';
import { output } from './process.ts';
import { get, type Access } from './request.ts';

const POLL_MS = 50;
const LIMIT_MS = 30_000;

/** Creates the definitions of Rook, its CSI operator, snapshots and COSI, and waits until all are served. */
export async function installCrds(
  plane: ControlPlane,
  report: (line: string) => void,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const files: Readonly<Record<string, string>> = { ...(await crdFiles(report, signal)) };
  const args = ['--kubeconfig', plane.kubeconfig, 'create', '-o', 'name'];
  await output(
    plane.binaries.kubectl,
    [...args, ...Object.values(files).flatMap((file) => ['-f', file])],
    {},
    signal,
  );
  await untilServed(plane, AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]));
}

async function untilServed(access: Access, signal: AbortSignal): Promise<void> {
  while (!(await allServed(access, signal))) await sleep(POLL_MS, undefined, { signal });
}

/** Established definitions are still missing from discovery for a moment, and clients start with discovery. */
async function allServed(access: Access, signal: AbortSignal): Promise<boolean> {
  const definitions = listAt(
    await getJson(access, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', signal),
    'items',
  );
  const served = new Map<string, Promise<Set<string>>>();
  for (const definition of definitions) {
    if (!isEstablished(definition)) return false;
    const group = textAt(definition, 'spec', 'group') ?? '';
    for (const version of listAt(definition, 'spec', 'versions')) {
      if (fieldAt(version, 'served') !== true) continue;
      const path = `/apis/${group}/${textAt(version, 'name')}`;
      const names = served.get(path) ?? servedNames(access, path, signal);
      served.set(path, names);
      if (!(await names).has(textAt(definition, 'spec', 'names', 'plural') ?? '')) return false;
    }
  }
  return definitions.length > 0;
}

function isEstablished(definition: unknown): boolean {
  return listAt(definition, 'status', 'conditions').some(
    (condition) =>
      isRecord(condition) && condition['type'] === 'Established' && condition['status'] === 'True',
  );
}

async function servedNames(access: Access, path: string, signal: AbortSignal): Promise<Set<string>> {
  const resources = listAt(await getJson(access, path, signal), 'resources');
  return new Set(resources.map((resource) => textAt(resource, 'name') ?? ''));
}

async function getJson(access: Access, path: string, signal: AbortSignal): Promise<unknown> {
  const { status, body } = await get(access, path, 'rook-deps-controlplane', signal);
  return status === 200 ? JSON.parse(body) : {};
}
