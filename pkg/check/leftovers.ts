import { CANARY_NAME, findHeld, findMarked, nameOf, type Installed } from '#pkg/install';
import { Kinds, ROOK_KINDS, type Gap, type KubeObject } from '#pkg/object';
import { holdersOf, IN_USE_LABEL, parseUsage, type Usage } from '#pkg/usage';
import { ok, warning, type Check, type CheckPorts, type Finding } from './check.ts';

const SECTION = 'Traces';
const MAX_NAMED = 3;

/** Labels and finalizers of ours that nobody will ever take away. */
export function leftoverChecks(installed: Installed | undefined, ports: CheckPorts): readonly Check[] {
  const { reader, types } = ports;
  return [
    {
      section: SECTION,
      title: 'no label of ours is without a reason',
      async look(signal) {
        const { objects, gaps } = await findMarked(reader, signal);
        const usages = installed ? await allUsages(ports, signal) : [];
        const homes = installed ? await homesOfRook(ports, signal) : new Set<string>();
        const orphans = objects.filter((object) => !isExplained(object, usages, homes));
        const hint = installed
          ? 'the controller takes them off when their usage goes; is it running?'
          : 'kubectl rook-deps uninstall --force takes them off';
        return told(orphans, gaps, hint);
      },
    },
    {
      section: SECTION,
      title: 'no finalizer of ours is without a controller',
      async look(signal) {
        if (installed) return ok();
        const own = (await types(signal)).all().filter(({ group }) => group === 'rook-deps.io');
        const { objects, gaps } = await findHeld(reader, own, signal);
        return told(objects, gaps, 'kubectl rook-deps uninstall --force takes them off');
      },
    },
  ];
}

async function allUsages({ reader }: CheckPorts, signal: AbortSignal): Promise<readonly Usage[]> {
  const listings = await Promise.all(
    [Kinds.Usage, Kinds.ClusterUsage].map((kind) => reader.list({ kind, detail: 'object' }, signal)),
  );
  return listings.flatMap(({ items }) => items).map(parseUsage);
}

/** Namespaces with resources of Rook's: they are marked while anything outside may need those. */
async function homesOfRook({ reader }: CheckPorts, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const listings = await Promise.all(
    ROOK_KINDS.map((kind) => reader.list({ kind, detail: 'metadata' }, signal)),
  );
  return new Set(listings.flatMap(({ items }) => items).flatMap(({ metadata }) => metadata.namespace ?? []));
}

/** A definition was listed without its spec: its name says whose it is. */
function isExplained(object: KubeObject, usages: readonly Usage[], homes: ReadonlySet<string>): boolean {
  if (object.metadata.name === CANARY_NAME || object.metadata.labels?.[IN_USE_LABEL] === undefined)
    return true;
  if (object.kind === 'CustomResourceDefinition')
    return usages.some((usage) => isOfDefinition(usage, object));
  if (object.kind === 'Namespace' && homes.has(object.metadata.name)) return true;
  return holdersOf(object, usages).length > 0;
}

function isOfDefinition({ of }: Usage, { metadata }: KubeObject): boolean {
  const group = metadata.name.slice(metadata.name.indexOf('.') + 1);
  return of.apiVersion.startsWith(`${group}/`);
}

function told(orphans: readonly KubeObject[], gaps: readonly Gap[], hint: string): Finding {
  if (orphans.length > 0) {
    const named = orphans.slice(0, MAX_NAMED).map(nameOf).join(', ');
    const more = orphans.length > MAX_NAMED ? ` and ${orphans.length - MAX_NAMED} more` : '';
    return warning(`${named}${more}`, hint);
  }
  const [gap] = gaps;
  return gap
    ? warning(`not looked at: ${gap.what}: ${gap.reason}`, 'you lack rights to list everything')
    : ok();
}
