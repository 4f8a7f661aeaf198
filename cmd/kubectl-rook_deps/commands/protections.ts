import { cutToBytes, listAt, textAt, type KubeObject } from '#pkg/object';
import { humanDuration, printable, table } from '#pkg/render';
import type { Usage } from '#pkg/usage';
import { nameOf, type CriticalService } from '#pkg/criticalservice';
import type { Command } from '../command.ts';
import type { Io } from '../io.ts';
import { outputFlag, outputFormat, serialized } from '../output.ts';
import { listUsages, requireUsages, usageName } from '../usage-objects.ts';
import { listCriticalServices } from '../critical-services.ts';
import { openCluster } from '../wiring.ts';

const FORMATS = ['json', 'name', 'wide', 'yaml'];
const MAX_REASON = 80;

export const protections: Command = {
  name: 'protections',
  summary: 'List what is protected, by whom and why',
  description: `Lists the Usages of a namespace, or of all, the ClusterUsages and the CriticalServices. Long reasons are cut, except with
-o wide.`,
  usage: 'protections [-n NAMESPACE | -A] [flags] [options]',
  examples: [{ what: 'Everything that is protected', line: 'kubectl rook-deps protections -A' }],
  flags: {
    output: outputFlag(FORMATS),
    'all-namespaces': { type: 'boolean', alias: 'A', describe: 'Those of all namespaces.' },
    'no-headers': { type: 'boolean', describe: "Don't print headers." },
  },
  async run(args, io, signal) {
    const format = outputFormat(args, FORMATS);
    const cluster = await openCluster(args, io);
    try {
      await requireUsages(cluster, signal);
      const namespace = args.isSet('all-namespaces') ? undefined : cluster.namespace;
      const usages = await listUsages(cluster, namespace, signal);
      const services = await listCriticalServices(cluster, signal);
      const objects = [...usages, ...services].map(({ object }) => object);
      if (format === 'json' || format === 'yaml') {
        io.print(await serialized({ apiVersion: 'v1', kind: 'List', items: objects }, format));
      } else if (objects.length === 0) {
        io.error(namespace ? `No resources found in ${namespace} namespace.` : 'No resources found');
      } else if (format === 'name') for (const object of objects) io.print(usageName(object));
      else
        io.print(
          listed(usages, services, { isWide: format === 'wide', headers: !args.isSet('no-headers'), io }),
        );
      return 0;
    } finally {
      cluster.close();
    }
  },
};

function listed(
  usages: readonly Usage[],
  services: readonly CriticalService[],
  options: { isWide: boolean; headers: boolean; io: Io },
): string {
  const { isWide, headers, io } = options;
  const head = [
    'NAMESPACE',
    'NAME',
    'OF',
    'BY',
    'REASON',
    'READY',
    'AGE',
    ...(isWide ? ['STATE', 'ATTEMPTS'] : []),
  ];
  const rows = [
    ...usages.map((usage) => row(usage, io.now(), isWide)),
    ...services.map((service) => serviceRow(service, io.now(), isWide)),
  ].map((cells) => cells.map(printable));
  return table(headers ? [head, ...rows] : rows).join('\n');
}

function row(
  { object, ref, of, by, reason, attempts }: Usage,
  now: number,
  isWide: boolean,
): readonly string[] {
  const ready = conditionOf(object, 'Ready');
  const where = of.namespace && of.namespace !== ref.namespace ? ` (${of.namespace})` : '';
  return [
    ref.namespace ?? '<none>',
    ref.name,
    `${of.kind}/${of.name ?? '<unresolved>'}${where}`,
    by ? `${by.kind}/${by.name ?? '<unresolved>'}` : '<none>',
    shown(reason ?? '<none>', isWide),
    textAt(ready, 'status') ?? 'Unknown',
    ageOf(object, now),
    ...(isWide ? [textAt(ready, 'reason') ?? '<none>', String(attempts.length)] : []),
  ];
}

function serviceRow(service: CriticalService, now: number, isWide: boolean): readonly string[] {
  const { object, ref, criteria, attempts } = service;
  const ready = conditionOf(object, 'Ready');
  const satisfied = conditionOf(object, 'Satisfied');
  const standing = textAt(satisfied, 'status') === 'True' ? 'all met' : '<none>';
  return [
    '<none>',
    ref.name,
    nameOf(service.provider),
    `${criteria.length} ${criteria.length === 1 ? 'criterion' : 'criteria'}`,
    shown(textAt(satisfied, 'message') || standing, isWide),
    textAt(ready, 'status') ?? 'Unknown',
    ageOf(object, now),
    ...(isWide ? [textAt(ready, 'reason') ?? '<none>', String(attempts.length)] : []),
  ];
}

/** A line stays a line: `-o wide` has all of it. */
function shown(text: string, isWide: boolean): string {
  return isWide ? text : cutToBytes(text, MAX_REASON);
}

function conditionOf(object: KubeObject, type: string): unknown {
  return listAt(object, 'status', 'conditions').find((condition) => textAt(condition, 'type') === type);
}

function ageOf({ metadata }: KubeObject, now: number): string {
  const age = now - Date.parse(metadata.creationTimestamp ?? '');
  return Number.isNaN(age) ? '<unknown>' : humanDuration(age);
}
