import { hostname } from 'node:os';
import { jsonLogger } from '#pkg/log';
import { UserError } from '#pkg/object';
import type { Args } from '../args.ts';
import { CEPH_MODE_FLAG, cephModeIn } from '../ceph-mode.ts';
import type { Command } from '../command.ts';
import { connectionFlags } from '../global-flags.ts';

/** What the Deployment runs; people have no use for it. */
export const controller: Command = {
  name: 'controller',
  summary: 'Run the controller and webhook',
  description:
    'Runs the controller and webhook. The Deployment of `install` does this; people have no use for it.',
  usage: 'controller [flags]',
  examples: [
    { what: 'As the Deployment does', line: 'kubectl-rook_deps controller --namespace rook-deps-system' },
  ],
  flags: {
    'webhook-port': { type: 'string', describe: 'Port of the webhook (HTTPS).' },
    'health-port': { type: 'string', describe: 'Port of /healthz, /readyz and /metrics (HTTP).' },
    listen: { type: 'string', describe: 'Address to listen on.' },
    'webhook-name': {
      type: 'array',
      describe: 'A further name or address under which the webhook is called.',
    },
    'drain-ms': { type: 'string', describe: 'How long to go on answering after being told to stop.' },
    'ceph-conf': {
      type: 'string',
      describe: "Ask Ceph with this machine's own ceph program and this configuration file.",
    },
    ceph: CEPH_MODE_FLAG,
    'watch-delay-ms': { type: 'string', describe: 'Hold back what watches bring; for tests.' },
  },
  async run(args, io, signal) {
    const { loadKubeconfig } = await import('#pkg/kube');
    const { runController } = await import('../controller/run.ts');
    const connection = loadKubeconfig(connectionFlags(args), io.env, io.homeDir);
    const logger = jsonLogger((line) => io.error(line), io.now, { debug: Number(args.text('v') ?? 0) >= 4 });
    await runController(
      {
        connection,
        namespace: args.text('namespace') ?? io.env['POD_NAMESPACE'] ?? connection.namespace,
        host: io.env['POD_NAME'] ?? hostname(),
        listenOn: args.text('listen') ?? '0.0.0.0',
        webhookPort: numberOf(args, 'webhook-port', 8443),
        healthPort: numberOf(args, 'health-port', 8081),
        extraNames: args.texts('webhook-name'),
        drainMs: numberOf(args, 'drain-ms', 5_000),
        cephConf: args.text('ceph-conf'),
        cephMode: cephModeIn(args) ?? 'require',
        env: io.env,
        watchDelayMs: numberOf(args, 'watch-delay-ms', 0),
      },
      logger,
      signal,
    );
    return 0;
  },
};

function numberOf(args: Args, name: string, standard: number): number {
  const text = args.text(name);
  if (text === undefined) return standard;
  if (/^\d+$/.test(text)) return Number(text);
  throw new UserError(`error: invalid argument "${text}" for "--${name}" flag: must be a number`);
}
