import type { Tools } from '../../cmd/kubectl-rook_deps/maintenance/tools.ts';
import { resourceLedger } from '#pkg/maintenance';
import type { MaintenanceWorld } from './maintenance-world.ts';

/** More than any test needs: a command that waits for what will never come ends. */
const MAX_SLEEPS = 1000;

/** The tools of a command in such a world. Time passes while it sleeps, pods come back, and others do what they like. */
export function toolsIn(
  world: MaintenanceWorld,
  meanwhile: () => Promise<void> | void = () => undefined,
): Tools {
  const { ports, cluster } = world;
  const reader = { ...ports.reader, types: async () => cluster.types };
  const writer = { ...cluster.writer, createReview: async () => ({}) };
  let sleeps = 0;
  const clock = {
    now: world.clock.now,
    sleep: async (ms: number, signal: AbortSignal) => {
      signal.throwIfAborted();
      sleeps += 1;
      if (sleeps > MAX_SLEEPS) throw new Error('it waits for ever');
      world.clock.jump(ms);
      world.live();
      await meanwhile();
      signal.throwIfAborted();
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
