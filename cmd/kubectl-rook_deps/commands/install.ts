import { systemClock } from '#pkg/clock';
import {
  CONFIG_MAP_BYTES,
  DEFAULT_NAMESPACE,
  findCephRights,
  install as installIn,
  isCephBinding,
  loadManifests,
  nameOf,
  ownBundle,
  renderManifests,
  requireInstalled,
  withoutSecrets,
  type Change,
  type ChosenOptions,
  type Installed,
  type InstallOptions,
} from '#pkg/install';
import { UserError, type KubeObject } from '#pkg/object';
import type { Args } from '../args.ts';
import { CEPH_MODE_FLAG } from '../ceph-mode.ts';
import type { Command } from '../command.ts';
import { DRY_RUN_FLAG, dryRunOf, dryRunSuffix, type DryRun } from '../dry-run.ts';
import { chosenIn, resourceName, wordsIn } from '../install-choices.ts';
import type { Io } from '../io.ts';
import { outputFlag, outputFormat, serialized } from '../output.ts';
import { VERSION } from '../release.ts';
import { timeoutMs } from '../timeout.ts';
import { openCluster, warn } from '../wiring.ts';

const FORMATS = ['json', 'name', 'yaml'];
const TIMEOUT_MS = 300_000;

export const install: Command = {
  name: 'install',
  summary: 'Install or upgrade the controller that protects',
  description: `Installs this very program into the cluster as controller and admission webhook, or upgrades what is installed.

It runs from a ConfigMap in a stock Node image, so there is no image to build or to trust. A second run changes
nothing; what was chosen with --replicas, --image, --ceph and --ceph-namespace is kept by later runs. Kubernetes 1.30 or newer
is needed.

Before data would be lost, the controller asks Ceph, in the pods of Rook's operator or toolbox. A RoleBinding rook-deps-ceph
lets it run programs there and nowhere else, in each namespace where Rook is found: run install again after Rook was
installed or moved. --ceph-namespace names such a namespace beforehand; --ceph=off takes the rights away.

The controller may mark and delete Rook's own resources only. --grant adds a kind of resource that it may protect, too,
--compose one that StorageComposites may be composed of; both are kept until the ClusterRole rook-deps-grant-RESOURCE or
rook-deps-compose-RESOURCE is deleted.`,
  usage:
    'install [--grant RESOURCE,...] [--compose RESOURCE,...] [--replicas N] [--image IMAGE] [--ceph MODE] [--ceph-namespace NAMESPACE] [flags] [options]',
  examples: [
    { what: 'Install, or upgrade to the version of this program', line: 'kubectl rook-deps install' },
    { what: 'Let Deployments be protected, too', line: 'kubectl rook-deps install --grant deployments.apps' },
    {
      what: 'The manifests, for a repository',
      line: 'kubectl rook-deps install --dry-run=client -o yaml > rook-deps.yaml',
    },
    {
      what: 'Apply them: server-side, as the bundle is too large for the annotation of a client-side apply',
      line: 'kubectl apply --server-side -f rook-deps.yaml',
    },
  ],
  flags: {
    replicas: { type: 'string', describe: 'How many controllers run; 2 by default.' },
    image: { type: 'string', describe: 'An image with Node 24 or newer to run in.' },
    ceph: CEPH_MODE_FLAG,
    'ceph-namespace': {
      type: 'array',
      describe:
        'Namespaces of a Rook operator or toolbox to ask Ceph in, besides those that are found; empty: no others. Can be repeated.',
      suggests: 'namespaces',
    },
    grant: {
      type: 'array',
      describe:
        'Resources that may be protected besides those of Rook, such as deployments.apps. Can be repeated.',
    },
    'grant-read': {
      type: 'array',
      describe: 'Resources that only use others (--by), which the controller is to look at. Can be repeated.',
    },
    compose: {
      type: 'array',
      describe:
        'Resources besides those of Rook that StorageComposites may be composed of, such as secrets. Can be repeated.',
    },
    output: outputFlag(FORMATS),
    'dry-run': DRY_RUN_FLAG,
    wait: {
      type: 'boolean',
      unset: 'true',
      describe: 'Wait until the controller runs and the webhook answers.',
    },
    timeout: { type: 'string', describe: 'How long to wait, such as 90s or 5m (the default).' },
  },
  async run(args, io, signal) {
    const format = outputFormat(args, FORMATS);
    const dryRun = dryRunOf(args);
    if (args.words.length > 0) throw new UserError(`error: unexpected argument "${args.words[0] ?? ''}"`);
    const changes =
      dryRun === 'client' ? await renderOnly(args, io) : await installLive(args, format, dryRun, io, signal);
    await printAll(changes, format, dryRun, io);
    return 0;
  },
};

/** Needs no cluster, and knows nothing of what is installed in any. */
async function renderOnly(args: Args, io: Io): Promise<readonly Change[]> {
  const namespace = args.text('namespace') ?? DEFAULT_NAMESPACE;
  const chosen = chosenIn(args);
  const cephRights = chosen.ceph === 'off' ? [] : (chosen.cephNamespaces ?? []);
  if (chosen.ceph !== 'off' && cephRights.length === 0)
    io.error('without a cluster, it is not known where Rook is: name its namespace with --ceph-namespace');
  const rights = {
    cephRights,
    grants: wordsIn(args, 'grant'),
    readGrants: wordsIn(args, 'grant-read'),
    compositions: wordsIn(args, 'compose'),
  };
  const objects = await render(namespace, chosen, rights);
  return objects.map((object) => ({ object, word: 'created' }));
}

async function installLive(
  args: Args,
  format: string | undefined,
  dryRun: DryRun,
  io: Io,
  signal: AbortSignal,
): Promise<readonly Change[]> {
  const cluster = await openCluster(args, io, { kindsChange: true });
  try {
    const installed = await requireInstalled(cluster.reader, signal);
    const namespace = namespaceFor(args, installed);
    const types = await cluster.reader.types(signal);
    const named = (flag: string): readonly string[] =>
      wordsIn(args, flag).map((word) => resourceName(word, types));
    const say = (text: string): void => io.error(text);
    const chosen = { ...installed?.chosen, ...chosenIn(args) };
    const asking = { namespace, chosen, isNamed: args.given('ceph-namespace') };
    const rights = {
      grants: named('grant'),
      readGrants: named('grant-read'),
      compositions: named('compose'),
      // Last: it may say something, which wrong words are no occasion for.
      cephRights: await findCephRights(asking, { ...cluster, say }, signal),
    };
    const objects = await render(namespace, chosen, rights, sizeSayer(args, io));
    const changes: Change[] = [];
    const report = (change: Change): void => {
      changes.push(change);
      if (format === undefined) io.print(lineFor(change, dryRun));
    };
    const ports = {
      ...cluster,
      clock: systemClock,
      report,
      say,
      warn: (text: string) => warn(io, text),
    };
    const waitMs = args.isSet('wait', true) ? timeoutMs(args, TIMEOUT_MS) : undefined;
    await installIn({ namespace, objects, dryRun: dryRun === 'server', waitMs }, ports, signal);
    return format === undefined ? [] : changes;
  } finally {
    cluster.close();
  }
}

async function render(
  namespace: string,
  chosen: ChosenOptions,
  rights: Pick<InstallOptions, 'grants' | 'readGrants' | 'compositions' | 'cephRights'>,
  sayBytes: (bytes: number) => void = () => undefined,
): Promise<readonly KubeObject[]> {
  const bundle = await ownBundle();
  sayBytes(bundle.gzip.length);
  return renderManifests(
    await loadManifests(),
    { namespace, version: VERSION, ...rights, ...chosen },
    bundle,
  );
}

function sizeSayer(args: Args, io: Io): (bytes: number) => void {
  if (Number(args.text('v') ?? 0) < 2) return () => undefined;
  return (bytes) => io.error(`bundle: ${bytes} bytes gzipped; a ConfigMap holds ${CONFIG_MAP_BYTES}`);
}

/** Only a flag counts: the namespace of the context is where people work, not where this belongs. */
function namespaceFor(args: Args, installed: Installed | undefined): string {
  const wanted = args.text('namespace');
  if (!installed) return wanted ?? DEFAULT_NAMESPACE;
  if (wanted === undefined || wanted === installed.namespace) return installed.namespace;
  throw new UserError(
    `error: already installed in namespace "${installed.namespace}"; run 'kubectl rook-deps uninstall' first, or leave --namespace out`,
  );
}

function lineFor({ object, word }: Change, dryRun: DryRun): string {
  const where = isCephBinding(object) ? ` in namespace ${object.metadata.namespace}` : '';
  return `${nameOf(object)}${where} ${word}${dryRunSuffix(dryRun)}`;
}

async function printAll(
  changes: readonly Change[],
  format: string | undefined,
  dryRun: DryRun,
  io: Io,
): Promise<void> {
  if (format === 'json') {
    const items = changes.map(({ object }) => shown(object));
    return io.print(await serialized({ apiVersion: 'v1', kind: 'List', items }, 'json'));
  }
  for (const [at, change] of changes.entries()) {
    if (format === 'yaml') {
      if (at > 0) io.print('---');
      io.print(await serialized(shown(change.object), 'yaml'));
    } else io.print(format === 'name' ? nameOf(change.object) : lineFor(change, dryRun));
  }
}

function shown(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return withoutSecrets({ ...object, metadata });
}
