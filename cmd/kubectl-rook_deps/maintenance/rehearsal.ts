import { evictAll, WAVES, type Situation, type Surroundings } from '#pkg/maintenance';
import { refOf } from '#pkg/object';
import { printable } from '#pkg/render';
import { dryRunSuffix } from '../dry-run.ts';
import type { Io } from '../io.ts';
import type { Tools } from './tools.ts';

/** Asks the server to cordon and to evict without doing it. What budgets hold now they may let go later: it is told. */
export async function rehearseDrain(
  { node, pods, maintenance }: Situation,
  surroundings: Surroundings,
  { cluster, ports }: Tools,
  io: Io,
  signal: AbortSignal,
): Promise<number> {
  if (node && !node.isCordoned) {
    const body = { metadata: { uid: node.uid }, spec: { unschedulable: true } };
    await cluster.writer.patch(refOf(node.object), { type: 'merge', body, dryRun: true }, signal);
    io.print(`node/${node.name} cordoned${dryRunSuffix('server')}`);
  }
  if (maintenance.request.noDrain) return 0;
  for (const wave of WAVES) {
    const own = pods.filter(
      (pod) => pod.wave === wave && !pod.isBare && !pod.isGoing && pod.comesBack !== 'surely',
    );
    const held = await evictAll(own, surroundings, ports, true, signal);
    for (const { message } of held) io.error(printable(`Held for now: ${message}`));
    for (const { name, object } of own) {
      const { namespace = '', name: pod } = object.metadata;
      if (!held.some(({ pods: names }) => names?.includes(name)))
        io.print(printable(`pod/${pod} evicted from ${namespace} namespace${dryRunSuffix('server')}`));
    }
  }
  return 0;
}
