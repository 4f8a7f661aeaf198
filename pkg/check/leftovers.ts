import {
  CRITICAL_LABEL,
  isMarkedFor,
  parseCriticalService,
  type CriticalService,
} from '#pkg/criticalservice';
import { CANARY_NAME, findHeld, findMarked, nameOf, type Installed } from '#pkg/install';
import {
  groupOf,
  isRookKind,
  Kinds,
  type Gap,
  type GroupKind,
  type KubeObject,
  type ResourceTypes,
} from '#pkg/object';
import { holdersOf, IN_USE_LABEL, parseUsage, type Usage } from '#pkg/usage';
import { ok, warning, type Check, type CheckPorts, type Finding } from './check.ts';

const SECTION = 'Traces';
const OWN = 'rook-deps.io/';
const COMPOSITE_LABEL = 'rook-deps.io/composite';
/** By whose finalizers the controller holds which kinds; it looks at no others. */
const HELD_BY: ReadonlyMap<string, (kind: GroupKind) => boolean> = new Map([
  [`${OWN}dependents`, isRookKind],
  ...Object.entries({
    usage: ['Usage', 'ClusterUsage'],
    'critical-service': ['CriticalService'],
    claim: ['StorageClaim'],
    maintenance: ['NodeMaintenance'],
  }).map(
    ([name, kinds]) =>
      [
        `${OWN}${name}`,
        ({ group, kind }: GroupKind) => group === 'rook-deps.io' && kinds.includes(kind),
      ] as const,
  ),
]);
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
        const reasons = installed ? await allReasons(ports, signal) : NO_REASONS;
        const orphans = objects.filter((object) => !isExplained(object, reasons));
        const hint = installed
          ? 'the controller takes off within the hour what no protection wants; is it running?'
          : 'kubectl rook-deps uninstall --force takes them off';
        return told(orphans, gaps, hint);
      },
    },
    {
      section: SECTION,
      title: 'no finalizer of ours is without a controller',
      async look(signal) {
        const own = (await types(signal)).all().filter(({ group }) => group === 'rook-deps.io');
        const { objects, gaps } = await findHeld(reader, own, signal);
        if (!installed) return told(objects, gaps, 'kubectl rook-deps uninstall --force takes them off');
        const orphans = objects.filter((object) => !object.metadata.finalizers?.every(isServed(object)));
        return told(
          orphans,
          gaps,
          'nobody will: kubectl edit them, and take off what begins with rook-deps.io/',
        );
      },
    },
  ];
}

/** What may want a label. */
interface Reasons {
  readonly usages: readonly Usage[];
  readonly services: readonly CriticalService[];
  readonly composites: ReadonlySet<string>;
  readonly types: ResourceTypes | undefined;
}

const NO_REASONS: Reasons = { usages: [], services: [], composites: new Set(), types: undefined };

async function allReasons({ reader, types }: CheckPorts, signal: AbortSignal): Promise<Reasons> {
  const all = async (...kinds: readonly GroupKind[]): Promise<readonly KubeObject[]> => {
    const listings = await Promise.all(kinds.map((kind) => reader.list({ kind, detail: 'object' }, signal)));
    return listings.flatMap(({ items }) => items);
  };
  const composites = await all(Kinds.StorageComposite);
  return {
    usages: (await all(Kinds.Usage, Kinds.ClusterUsage)).map(parseUsage),
    services: (await all(Kinds.CriticalService)).map(parseCriticalService),
    composites: new Set(composites.map(({ metadata }) => metadata.name)),
    types: await types(signal),
  };
}

function isExplained(object: KubeObject, { usages, services, composites, types }: Reasons): boolean {
  const { name, labels = {} } = object.metadata;
  const composite = labels[COMPOSITE_LABEL];
  return (
    (labels[IN_USE_LABEL] === undefined || name === CANARY_NAME || isUsed(object, usages)) &&
    (labels[CRITICAL_LABEL] === undefined ||
      services.some((service) => types && isMarkedFor(service, object, types))) &&
    (composite === undefined || composites.has(composite))
  );
}

/** A definition was listed without its spec: its name says whose it is. */
function isUsed(object: KubeObject, usages: readonly Usage[]): boolean {
  return object.kind === 'CustomResourceDefinition'
    ? usages.some((usage) => isOfDefinition(usage, object))
    : holdersOf(object, usages).length > 0;
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

/** Whether somebody takes off this finalizer of an object; those of others are their affair. */
function isServed({ apiVersion, kind }: KubeObject): (finalizer: string) => boolean {
  const type = { group: groupOf(apiVersion), kind };
  return (finalizer) => !finalizer.startsWith(OWN) || HELD_BY.get(finalizer)?.(type) === true;
}
