import { crdFiles, ensureBinaries, installCrds, startControlPlane } from './controlplane/index.ts';

const USAGE = `Usage:
  node scripts/controlplane.ts build   build the programs and fetch the resource definitions
  node scripts/controlplane.ts up      run a control plane with Rook's resource definitions until Ctrl-C`;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function build(): Promise<void> {
  const found: Readonly<Record<string, string | undefined>> = {
    ...(await ensureBinaries(say)),
    ...(await crdFiles(say)),
  };
  for (const [name, path] of Object.entries(found)) console.log(`${name.padEnd(22)} ${path ?? 'absent'}`);
}

async function up(): Promise<void> {
  const plane = await startControlPlane({ controllerManager: true, audit: true });
  await installCrds(plane, say);
  console.log(`export KUBECONFIG=${plane.kubeconfig}`);
  say(`${plane.server} is up; audit log in ${plane.auditLog}; Ctrl-C ends it`);
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => resolve());
  // Neither a signal handler nor the servers keep this process alive.
  const alive = setInterval(() => undefined, 2 ** 30);
  await promise;
  clearInterval(alive);
  await plane.stop();
}

const commands: Readonly<Record<string, () => Promise<void>>> = { build, up };
const command = commands[process.argv[2] ?? ''];
if (command) {
  await command();
} else {
  say(USAGE);
  process.exitCode = 1;
}
