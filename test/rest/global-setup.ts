import { setTimeout as sleep } from 'node:timers/promises';
import type { TestProject } from 'vitest/node';
import { listAt, textAt } from '#pkg/object';
import { Unavailable, type Access } from '../../scripts/controlplane/index.ts';
import { marker, type Audited, type Marker } from '../cluster/audit-log.ts';
import { Client, type Target } from '../controller/client.ts';
import { localInstall } from '../controller/local-install.ts';
import { configMap, named, namespace, usage } from '../controller/objects.ts';

export const USAGES = 200;
const NS = 'rest';
const PATIENCE_MS = 120_000;

/** A controller with usages in force, with nothing to do since `sinceMs`. */
export interface Resting {
  readonly access: Access & { readonly auditLog: string };
  readonly since: Marker;
  readonly sinceMs: number;
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** A string says why there is none. */
    readonly resting: Resting | string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  try {
    const install = await localInstall({ kinds: ['configmaps'] });
    await install.route(await install.start());
    await protectMany(new Client(install.plane));
    const { server, adminToken, ca, auditLog } = install.plane;
    const access: Audited = { server, adminToken, ca, auditLog };
    project.provide('resting', { access, since: await marker(access), sinceMs: Date.now() });
    return () => install.end();
  } catch (error) {
    if (!(error instanceof Unavailable) || process.env['CI'] === 'true') throw error;
    project.provide('resting', error.message);
    return async () => undefined;
  }
}

/** Half of them by another object, half for a reason. */
async function protectMany(client: Client): Promise<void> {
  const using = configMap(NS, 'using');
  await made(client, namespace(NS));
  await made(client, using);
  const usages = Array.from({ length: USAGES }, (_, at) => {
    const used = configMap(NS, `used-${at}`);
    const why = at % 2 === 0 ? { by: named(using) } : { reason: 'needed' };
    return { used, held: usage(NS, `held-${at}`, { of: named(used), ...why }) };
  });
  for (const { used, held } of usages) {
    await made(client, used);
    await made(client, held);
  }
  for (const { held } of usages) await until(async () => isReady(await client.read(held)));
}

/** A webhook that was just routed takes a moment. */
function made(client: Client, object: Target): Promise<void> {
  return until(async () => (await client.create(object)).status === 201);
}

function isReady(held: unknown): boolean {
  return listAt(held, 'status', 'conditions').some((condition) => textAt(condition, 'status') === 'True');
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; !(await isSo()); await sleep(100))
    if (Date.now() > deadline) throw new Error('the usages do not come into force');
}
