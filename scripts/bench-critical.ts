import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { listAt, textAt, type ResourceType } from '#pkg/object';
import { Client, type Target } from '../test/controller/client.ts';
import { criticalService, deployment, noFinalizer, providerOf } from '../test/controller/critical-objects.ts';
import { localInstall, type LocalInstall, type Replica } from '../test/controller/local-install.ts';
import { definition, TEST_GROUP } from '../test/controller/objects.ts';
import { creator } from './bench/creator.ts';
import { withMeasured } from './bench/document.ts';
import { inParallel } from './bench/population/parallel.ts';
import { numbered } from './bench/population/seed.ts';
import { hardware } from './bench/surroundings.ts';
import { markdownTable } from './bench/tables.ts';
import { conditionOf } from './bench/webhook/controller-metrics.ts';
import { measured, type Latency } from './bench/webhook/latency.ts';

const DOCUMENT = join(import.meta.dirname, '../docs/benchmarks.md');
const FULL = [0, 1_000, 20_000, 100_000];
const QUICK = [0, 1_000];
const GADGETS: ResourceType = {
  group: TEST_GROUP,
  version: 'v1',
  kind: 'Gadget',
  plural: 'gadgets',
  singular: 'gadget',
  shortNames: [],
  namespaced: false,
};
const HOME = 'default';
/** Nobody guards the first; all gadgets have the finalizer of the second, none that of the third. */
const BARE = deployment(HOME, 'bare');
const HELD = deployment(HOME, 'held');
const FREE = deployment(HOME, 'free');
const finalizerOf = ({ metadata: { name } }: Target): string => `example.com/${name}`;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

interface Row {
  readonly objects: number;
  readonly bare: Latency;
  readonly refused: Latency;
  readonly allowed: Latency;
  readonly residentBytes: number;
}

/** Fills a server step by step and lets the controller answer at each. */
async function bench(sizes: readonly number[], runs: number, signal: AbortSignal): Promise<string> {
  const install = await localInstall({ kinds: ['deployments.apps', `gadgets.${TEST_GROUP}`] });
  try {
    await install.apply([definition('Gadget', 'Cluster', ['v1'])]);
    const replica = await install.start();
    await install.route(replica);
    await prepare(install);
    const rows: Row[] = [];
    for (const [at, size] of sizes.entries()) {
      await fill(install, sizes[at - 1] ?? 0, size, signal);
      rows.push(await measureAll(install, replica, size, runs));
    }
    const facts = [
      ...(await hardware(install.plane, signal)),
      `- Load of the machine, the benchmark included: ${loadavg()[0]?.toFixed(1)} on ${cpus().length} processors; beyond their number all times grow`,
      `- Asked: ${runs} times each, one after the other, after a few to warm up`,
    ];
    return `${facts.join('\n')}\n\n${tableOf(rows)}`;
  } finally {
    await install.end();
  }
}

async function prepare(install: LocalInstall): Promise<void> {
  const client = new Client(install.plane);
  const gadget = { apiVersion: `${TEST_GROUP}/v1`, kind: 'Gadget' };
  const metadata = { name: 'held', finalizers: [finalizerOf(HELD)] };
  for (const target of [BARE, HELD, FREE, { ...gadget, metadata }]) await client.create(target);
  for (const [provider, state] of [
    [HELD, 'False'],
    [FREE, 'True'],
  ] as const) {
    const criteria = [noFinalizer('gadgets', finalizerOf(provider))];
    const service = criticalService(provider.metadata.name, { provider: providerOf(provider), criteria });
    await client.create(service);
    while ((await satisfied(service, client)) !== state) await sleep(100);
  }
}

async function satisfied(service: Target, client: Client): Promise<string | undefined> {
  const conditions = listAt(await client.read(service), 'status', 'conditions');
  return textAt(
    conditions.find((condition) => textAt(condition, 'type') === 'Satisfied'),
    'status',
  );
}

async function fill(install: LocalInstall, from: number, to: number, signal: AbortSignal): Promise<void> {
  if (from === to) return;
  say(`creating ${to - from} objects`);
  const { create, close } = creator(install.plane, signal);
  const fields = { spec: { size: 3, parts: ['a', 'b'] } };
  await inParallel(numbered('gadget', to).slice(from), async (name) => {
    await create({ type: GADGETS, name, finalizers: [finalizerOf(HELD)], fields });
  }).finally(close);
}

async function measureAll(
  install: LocalInstall,
  replica: Replica,
  objects: number,
  runs: number,
): Promise<Row> {
  const ask = async (target: Target, expected: number): Promise<Latency> => {
    await asked(install, target, expected, 3);
    const latency = await asked(install, target, expected, runs);
    say(`${objects} objects, ${target.metadata.name}: p50 ${ms(latency.p50Ms)}, max ${ms(latency.maxMs)}`);
    return latency;
  };
  const bare = await ask(BARE, 200);
  const refused = await ask(HELD, 409);
  const allowed = await ask(FREE, 200);
  return { objects, bare, refused, allowed, residentBytes: (await conditionOf(replica)).residentBytes };
}

/** Dry runs: everything is asked and decided, and nothing is lost. */
function asked({ plane }: LocalInstall, target: Target, expected: number, runs: number): Promise<Latency> {
  const client = new Client(plane);
  return measured(runs, 1, async () => {
    const { status, message } = await client.delete(target, { query: 'dryRun=All' });
    if (status !== expected) throw new Error(`expected ${expected}, not ${status}: ${message}`);
  });
}

function tableOf(rows: readonly Row[]): string {
  return markdownTable(
    ['objects of the kind', 'no webhook', 'refused', 'max', '× bare', 'allowed', 'max', '× bare', 'memory'],
    rows.map(({ objects, bare, refused, allowed, residentBytes }) => [
      objects.toLocaleString('en'),
      ms(bare.p50Ms),
      ...[refused, allowed].flatMap(({ p50Ms, maxMs }) => [
        ms(p50Ms),
        ms(maxMs),
        `${(p50Ms / bare.p50Ms).toFixed(1)} ×`,
      ]),
      `${Math.round(residentBytes / 2 ** 20)} MiB`,
    ]),
  );
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

async function main(signal: AbortSignal): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, runs: { type: 'string', default: '50' } },
  });
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) throw new Error(`cannot ask "${values.runs}" times`);
  const text = await bench(values.quick ? QUICK : FULL, runs, signal);
  console.log(`\n${text}`);
  if (values.quick) return;
  await writeFile(DOCUMENT, withMeasured(await readFile(DOCUMENT, 'utf8'), text, 'critical'));
  say('\nwritten to docs/benchmarks.md');
}

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
await main(interrupted.signal);
