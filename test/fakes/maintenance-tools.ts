import type { Tools } from '../../cmd/kubectl-rook_deps/maintenance/tools.ts';
import { resourceLedger } from '#pkg/maintenance';
import type { MaintenanceWorld } from './maintenance-world.ts';

/** The tools of a command in such a world. Time passes while it sleeps, and pods come back. */
export function toolsIn(world: MaintenanceWorld): Tools {
  const { ports, cluster } = world;
  const reader = { ...ports.reader, types: async () => cluster.types };
  const writer = { ...cluster.writer, createReview: async () => ({}) };
  const clock = {
    now: world.clock.now,
    sleep: async (ms: number, signal: AbortSignal) => {
      signal.throwIfAborted();
      world.clock.jump(ms);
      world.live();
    },
  };
  return {
    cluster: { reader, writer } as never,
    ports: { ...ports, clock },
    resources: resourceLedger({ reader, writer, now: clock.now }),
    commands: world.commandLedger,
    close: () => undefined,
  };
}
