import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Kinds, listAt } from '#pkg/object';
import { Client, type Target } from '../test/controller/client.ts';
import { localInstall, type LocalInstall, type Replica } from '../test/controller/local-install.ts';
import { creator } from './bench/creator.ts';
import { withMeasured } from './bench/document.ts';
import { MAIN_POOL, populate, ROOK_NAMESPACE, type Size } from './bench/population/index.ts';
import { machine } from './bench/surroundings.ts';
import { markdownTable } from './bench/tables.ts';
import { conditionOf } from './bench/webhook/controller-metrics.ts';
import { measured, type Latency } from './bench/webhook/latency.ts';

const DOCUMENT = join(import.meta.dirname, '../docs/benchmarks.md');
const FULL: Size = { volumes: 10_000, pods: 100 };
const QUICK: Size = { volumes: 1_000, pods: 100 };
const EMPTY_POOL = 'nothing-in-it';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

interface Row {
  readonly what: string;
  readonly latency: Latency;
  readonly lagMs: number;
}

/** Fills a server, lets the controller answer, and returns the findings as Markdown. */
async function bench(size: Size, runs: number, signal: AbortSignal): Promise<string> {
  const install = await localInstall({ kinds: [] });
  try {
    const { create, close } = creator(install.plane, signal);
    await populate(create, size, (line) => say(`creating ${line}`))
      .then(() =>
        create({
          type: Kinds.CephBlockPool,
          namespace: ROOK_NAMESPACE,
          name: EMPTY_POOL,
          fields: { spec: { replicated: { size: 3 } } },
        }),
      )
      .finally(close);
    const bare = await measureDeletions('no webhook', install, runs, 1, EMPTY_POOL, 200);
    const started = Date.now();
    const replica = await install.start();
    await install.route(replica);
    await untilHeld(install);
    const readyMs = Date.now() - started;
    const atStart = await conditionOf(replica);
    const rows = [{ ...bare, lagMs: NaN }, ...(await measureAll(install, replica, runs))];
    const atEnd = await conditionOf(replica);
    const memory = [
      `- Load of the machine, the benchmark included: ${loadavg()[0]?.toFixed(1)} on ${cpus().length} processors; beyond their number all times grow`,
      `- Memory of the controller: ${mib(atStart.residentBytes)} with all watched, ${mib(atEnd.residentBytes)} after the last answer, ${mib(atEnd.peakBytes)} at its peak`,
      `- Start: ${(readyMs / 1000).toFixed(1)} s until it answers and has marked what is held, with an event loop at most ${atStart.lagMs.toFixed(0)} ms late`,
    ];
    return [[...(await machine(install.plane, size, signal)), ...memory].join('\n'), tableOf(rows)].join(
      '\n\n',
    );
  } finally {
    await install.end();
  }
}

async function measureAll(install: LocalInstall, replica: Replica, runs: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const add = async (
    what: string,
    atOnce: number,
    name: string,
    status: number,
    kind?: string,
  ): Promise<void> => {
    await measureDeletions(what, install, Math.max(5, atOnce), atOnce, name, status, kind);
    await conditionOf(replica);
    const row = await measureDeletions(what, install, runs, atOnce, name, status, kind);
    rows.push({ ...row, lagMs: (await conditionOf(replica)).lagMs });
  };
  await add('refused: a pool with most of the volumes', 1, MAIN_POOL, 409);
  await add('refused: the cluster, with all', 1, 'rook-ceph', 409, 'CephCluster');
  await add('refused: the pool, ten at once', 10, MAIN_POOL, 409);
  await add('allowed: a pool with nothing in it', 1, EMPTY_POOL, 200);
  await add('allowed: the pool, ten at once', 10, EMPTY_POOL, 200);
  return rows;
}

/** Dry runs: everything is asked and decided, and nothing is lost. */
async function measureDeletions(
  what: string,
  { plane }: LocalInstall,
  runs: number,
  atOnce: number,
  name: string,
  expected: number,
  kind = 'CephBlockPool',
): Promise<Omit<Row, 'lagMs'>> {
  const client = new Client(plane);
  const target: Target = {
    apiVersion: 'ceph.rook.io/v1',
    kind,
    metadata: { name, namespace: ROOK_NAMESPACE },
  };
  const latency = await measured(runs, atOnce, async () => {
    const { status, message } = await client.delete(target, { query: 'dryRun=All' });
    if (status !== expected) throw new Error(`expected ${expected}, not ${status}: ${message}`);
  });
  say(
    `${what}: p50 ${latency.p50Ms.toFixed(1)} ms, p99 ${latency.p99Ms.toFixed(1)} ms, max ${latency.maxMs.toFixed(1)} ms`,
  );
  return { what, latency };
}

/** When the finalizer is on the pool, the cache knows what is in it. */
async function untilHeld({ plane }: LocalInstall): Promise<void> {
  const client = new Client(plane);
  const target: Target = {
    apiVersion: 'ceph.rook.io/v1',
    kind: 'CephBlockPool',
    metadata: { name: MAIN_POOL, namespace: ROOK_NAMESPACE },
  };
  while (!listAt(await client.read(target), 'metadata', 'finalizers').includes('rook-deps.io/dependents'))
    await sleep(100);
}

function tableOf(rows: readonly Row[]): string {
  const ms = (value: number): string => (Number.isNaN(value) ? '' : `${value.toFixed(1)} ms`);
  return markdownTable(
    ['deletion', 'asked', 'p50', 'p99', 'max', 'event loop late by at most'],
    rows.map(({ what, latency: { count, p50Ms, p99Ms, maxMs }, lagMs }) => [
      what,
      String(count),
      ms(p50Ms),
      ms(p99Ms),
      ms(maxMs),
      ms(lagMs),
    ]),
  );
}

function mib(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

async function main(signal: AbortSignal): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, runs: { type: 'string', default: '100' } },
  });
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) throw new Error(`cannot ask "${values.runs}" times`);
  const text = await bench(values.quick ? QUICK : FULL, runs, signal);
  console.log(`\n${text}`);
  if (values.quick) return;
  await writeFile(DOCUMENT, withMeasured(await readFile(DOCUMENT, 'utf8'), text, 'webhook'));
  say('\nwritten to docs/benchmarks.md');
}

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
await main(interrupted.signal);
