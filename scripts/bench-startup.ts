import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { arch, cpus, tmpdir, type } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { withMeasured } from './bench/document.ts';
import { findGnuTime, runOnce, type Program, type Run } from './bench/measure.ts';
import { KUBE_LINEAGE, KUBECTL_TREE } from './bench/peers.ts';
import { startOf, startTable } from './bench/startup.ts';
import { ensureBinaries, goTool } from './controlplane/index.ts';

const ROOT = join(import.meta.dirname, '..');
const DOCUMENT = join(ROOT, 'docs/benchmarks.md');

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Ours first, then what it is held against; the yardstick is kubectl. */
async function programs(
  signal: AbortSignal,
): Promise<{ readonly all: readonly Program[]; kubectl: Program }> {
  const ours = { name: 'kubectl-rook_deps', file: join(ROOT, 'dist/kubectl-rook_deps') };
  const { kubectl: file } = await ensureBinaries(say, signal);
  const kubectl = { name: 'kubectl', file, args: ['version', '--client'] };
  const tree = { name: KUBECTL_TREE.name, file: await goTool(KUBECTL_TREE, say, signal) };
  const lineage = { name: KUBE_LINEAGE.name, file: await goTool(KUBE_LINEAGE, say, signal) };
  return {
    kubectl,
    all: [
      { ...ours, args: ['version', '--client'] },
      { ...ours, args: ['--help'] },
      { ...ours, args: ['__complete', 'why', 'ceph'] },
      kubectl,
      { name: 'node', file: process.execPath, args: ['-e', '0'] },
      { ...tree, args: ['--help'] },
      { ...lineage, args: ['--version'] },
    ],
  };
}

async function measure(
  all: readonly Program[],
  runs: number,
  signal: AbortSignal,
): Promise<Map<Program, Run[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'rook-deps-startup-'));
  try {
    const env = { PATH: process.env['PATH'], HOME: folder };
    const setting = { folder, env, hasGnuTime: await findGnuTime(signal) };
    const measured = new Map<Program, Run[]>(all.map((program) => [program, []]));
    // In turns, so that noise hits all alike; the first round warms up.
    for (let round = 0; round <= runs; round++) {
      for (const program of all) {
        const run = await runOnce(program, setting, signal);
        if (round > 0) measured.get(program)?.push(run);
      }
    }
    return measured;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({ options: { runs: { type: 'string', default: '40' } } });
const runs = Number(values.runs);
if (!Number.isInteger(runs) || runs < 1) throw new Error(`cannot run "${values.runs}" times`);
const { signal } = new AbortController();
const { all, kubectl } = await programs(signal);
const measured = await measure(all, runs, signal);
const starts = [...measured].map(([program, its]) => startOf(program, its));
const text = [
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? arch()}, ${type()} on ${arch()}, Node ${process.version}, ${runs} runs of each, in turns.`,
  '',
  startTable(starts, kubectl),
].join('\n');
console.log(text);
await writeFile(DOCUMENT, withMeasured(await readFile(DOCUMENT, 'utf8'), text, 'start-up'));
say('\nwritten to docs/benchmarks.md');
