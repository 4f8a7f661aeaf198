// Makes a fresh clone ready: installs the dependencies if they are missing or not those of the lockfile, then runs
// the given script, if any, with the Node that comes with them. Plain JavaScript, because it runs on any Node.
//
// The script is run from here rather than after `&&`: a shell remembers where it found `node` the first time, which
// on a fresh clone is the host's.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import process, { argv, env, execPath, exit, platform } from 'node:process';
import { isInstalled } from './bootstrap/installed.mjs';

const ROOT = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const MODULES = join(ROOT, 'node_modules');
const BIN = join(MODULES, '.bin');
const STAMP = join(MODULES, '.rook-deps-lock');

async function install() {
  const lock = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
  const hash = createHash('sha256').update(lock).digest('hex');
  if (textOf(STAMP) === hash) return;
  if (!isInstalled(lock, textOf(join(MODULES, '.package-lock.json')))) {
    console.error('installing the dependencies with npm ci (about a minute)…');
    await run(...npm(), 'ci', '--no-audit', '--no-fund', '--loglevel=error');
  }
  writeFileSync(STAMP, hash);
}

/** The npm that runs us, so that no other one on PATH is taken. */
function npm() {
  const script = env.npm_execpath;
  return script && /\.c?js$/.test(script) ? [execPath, script] : [platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/** The pinned Node; where it is not packaged for this platform, the host's, and a unit test will say so. */
function pinnedNode() {
  const file = join(BIN, platform === 'win32' ? 'node.cmd' : 'node');
  return existsSync(file) ? file : execPath;
}

async function run(file, ...args) {
  const child = spawn(file, args, {
    cwd: ROOT,
    stdio: 'inherit',
    shell: file.endsWith('.cmd'),
    env: { ...env, PATH: [BIN, env.PATH].join(delimiter) },
  });
  // It ends in good order, and we after it. A terminal sends Ctrl-C to both; what is sent to us alone is passed on.
  process.on('SIGINT', () => undefined);
  for (const name of ['SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name));
  // The shell that npm starts us in passes no signal on: it is just gone.
  const parent = process.ppid;
  const watching = setInterval(() => process.ppid === parent || child.kill('SIGTERM'), 500);
  const [status, signal] = await once(child, 'exit');
  clearInterval(watching);
  if (status !== 0) exit(status ?? 128 + constants.signals[signal]);
}

function textOf(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

await install();
const [script, ...args] = argv.slice(2);
if (script) await run(pinnedNode(), script, ...args);
