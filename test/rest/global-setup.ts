import type { TestProject } from 'vitest/node';
import { Unavailable, type Access } from '../../scripts/controlplane/index.ts';
import { marker, type Audited, type Marker } from '../cluster/audit-log.ts';
import { configMap, named, usage } from '../controller/objects.ts';
import { Scene } from '../controller/scene.ts';

export const USAGES = 200;

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
    const scene = await Scene.open();
    await protectMany(scene);
    const { server, adminToken, ca, auditLog } = scene.install.plane;
    const access: Audited = { server, adminToken, ca, auditLog };
    project.provide('resting', { access, since: await marker(access), sinceMs: Date.now() });
    return () => scene.close();
  } catch (error) {
    if (!(error instanceof Unavailable) || process.env['CI'] === 'true') throw error;
    project.provide('resting', error.message);
    return async () => undefined;
  }
}

/** Half of them by another object, half for a reason. */
async function protectMany(scene: Scene): Promise<void> {
  const ns = await scene.namespace('rest');
  const using = configMap(ns, 'using');
  await scene.make(using);
  const usages = Array.from({ length: USAGES }, (_, at) => {
    const used = configMap(ns, `used-${at}`);
    const why = at % 2 === 0 ? { by: named(using) } : { reason: 'needed' };
    return { used, held: usage(ns, `held-${at}`, { of: named(used), ...why }) };
  });
  for (const { used, held } of usages) await scene.make(used, held);
  for (const { held } of usages) await scene.untilReady(held);
}
