import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { arrivalsSince } from './bench/audit.ts';
import { creator } from './bench/creator.ts';
import { withMeasured } from './bench/document.ts';
import { dependentsFound, findGnuTime, runOnce, type Bench, type Run } from './bench/measure.ts';
import { KUBE_LINEAGE, KUBECTL_TREE } from './bench/peers.ts';
import { populate, type Size } from './bench/population/index.ts';
import { questions, type Contestant, type Programs, type Question } from './bench/questions.ts';
import { resultOf, type Result } from './bench/results.ts';
import { surroundings } from './bench/surroundings.ts';
import { resultTable } from './bench/tables.ts';
import { goTool, installCrds, startControlPlane, type ControlPlane } from './controlplane/index.ts';

const ROOT = join(import.meta.dirname, '..');
const DOCUMENT = join(ROOT, 'docs/benchmarks.md');
const FULL: Size = { volumes: 10_000, pods: 2_000 };
const QUICK: Size = { volumes: 1_000, pods: 200 };

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Fills a server, measures all programs on it, and returns the findings as Markdown. */
async function bench(size: Size, runs: number, signal: AbortSignal): Promise<string> {
  const programs: Programs = {
    ours: join(ROOT, 'dist/kubectl-rook_deps'),
    kubectlTree: await goTool(KUBECTL_TREE, say, signal),
    kubeLineage: await goTool(KUBE_LINEAGE, say, signal),
  };
  const plane = await startControlPlane({ controllerManager: false, audit: true }, signal);
  try {
    await fill(plane, size, signal);
    const sections = await measureAll(plane, questions(programs), runs, signal);
    const setting = { executable: programs.ours, peers: [KUBECTL_TREE, KUBE_LINEAGE], size, runs };
    return [(await surroundings(plane, setting, signal)).join('\n'), ...sections].join('\n\n');
  } finally {
    await plane.stop();
  }
}

async function fill(plane: ControlPlane, size: Size, signal: AbortSignal): Promise<void> {
  const started = Date.now();
  await installCrds(plane, say, signal);
  const { create, close } = creator(plane, signal);
  await populate(create, size, (line) => say(`creating ${line}`)).finally(close);
  say(`filled the server in ${Math.round((Date.now() - started) / 1000)} s`);
}

async function measureAll(
  plane: ControlPlane,
  asked: readonly Question[],
  runs: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  // A home of their own: kube-lineage keeps what it has discovered there, and nothing of the user's shall matter.
  const home = await mkdtemp(join(tmpdir(), 'rook-deps-bench-'));
  try {
    const env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: plane.kubeconfig };
    const setting = { folder: home, env, hasGnuTime: await findGnuTime(signal) };
    const sections: string[] = [];
    for (const question of asked) {
      const results = await measure(plane, question, runs, setting, signal);
      sections.push(`### ${question.title}\n\n${resultTable(results)}`);
    }
    return sections;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function measure(
  plane: ControlPlane,
  { title, contestants }: Question,
  runs: number,
  setting: Bench,
  signal: AbortSignal,
): Promise<readonly Result[]> {
  say(title);
  const { size: offset } = await stat(plane.auditLog);
  const measured = new Map<Contestant, Run[]>(contestants.map((contestant) => [contestant, []]));
  for (let round = 0; round <= runs; round++) {
    for (const contestant of inTurn(contestants, round)) {
      const run = await runOnce(contestant, setting, signal);
      if (round > 0) measured.get(contestant)?.push(run);
      say(`  ${round || 'warm-up'}  ${contestant.name.padEnd(18)} ${Math.round(run.wallMs)} ms`);
    }
  }
  const arrivals = await arrivalsSince(plane, offset, signal);
  const results: Result[] = [];
  for (const [contestant, its] of measured) {
    results.push(resultOf(contestant, its, arrivals, await dependentsFound(contestant, setting, signal)));
  }
  return results;
}

/** Everyone is first once in a while: noise and warmth hit all alike. */
function inTurn<T>(contestants: readonly T[], round: number): readonly T[] {
  const start = round % contestants.length;
  return [...contestants.slice(start), ...contestants.slice(0, start)];
}

async function main(signal: AbortSignal): Promise<void> {
  const { values } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, runs: { type: 'string', default: '5' } },
  });
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) throw new Error(`cannot run "${values.runs}" times`);
  const measured = await bench(values.quick ? QUICK : FULL, runs, signal);
  console.log(`\n${measured}`);
  if (values.quick) return;
  await writeFile(DOCUMENT, withMeasured(await readFile(DOCUMENT, 'utf8'), measured));
  say('\nwritten to docs/benchmarks.md');
}

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
try {
  await main(interrupted.signal);
} catch (error) {
  if (!interrupted.signal.aborted) throw error;
  say('interrupted');
  process.exitCode = 130;
}
