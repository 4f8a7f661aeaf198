import { arch, cpus, totalmem, type } from 'node:os';
import { textAt } from '#pkg/object';
import { get, run, type ControlPlane, type GoTool } from '../controlplane/index.ts';
import { OWN_USER_AGENT } from './creator.ts';
import type { Size } from './population/index.ts';

/** What a reader must know to judge the figures, one fact a line, as Markdown. */
export async function surroundings(
  plane: ControlPlane,
  { executable, peers, size, runs }: Setting,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const ours = await run(executable, ['version'], {}, signal);
  const go = await run('go', ['env', 'GOVERSION'], {}, signal).catch(() => undefined);
  const builtWith = go?.code === 0 ? `, built with ${go.stdout.trim()}` : '';
  return [
    ...(await machine(plane, size, signal)),
    `- Programs: kubectl-rook_deps ${/v\d\S*/.exec(ours.stdout)?.[0] ?? 'of an unknown version'}; ${peers.map(({ name, version }) => `${name} ${version}`).join(', ')}${builtWith}`,
    `- Runs: ${runs} of each after one to warm up, the programs in turns`,
  ];
}

/** When, where and with how much. */
export async function machine(
  plane: ControlPlane,
  size: Size,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const [date = '', where = '', server = ''] = await hardware(plane, signal);
  return [
    date,
    where,
    `${server} with ${size.volumes.toLocaleString('en')} volumes, as many claims, ${size.pods.toLocaleString('en')} pods and 300 Ceph resources`,
  ];
}

/** When and where. */
export async function hardware(plane: ControlPlane, signal: AbortSignal): Promise<readonly string[]> {
  const [processor] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const server: unknown = JSON.parse((await get(plane, '/version', OWN_USER_AGENT, signal)).body);
  return [
    `- Date: ${new Date().toISOString().slice(0, 10)}`,
    `- Machine: ${cpus().length} × ${processor?.model.trim() ?? arch()}, ${memory} GiB, ${type()} on ${arch()}; the server runs on it, too`,
    `- Server: kube-apiserver ${textAt(server, 'gitVersion')}`,
  ];
}

export interface Setting {
  readonly executable: string;
  readonly peers: readonly GoTool[];
  readonly size: Size;
  readonly runs: number;
}
