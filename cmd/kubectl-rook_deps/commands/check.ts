import { systemClock } from '#pkg/clock';
import { allChecks, findPresent, preChecks, runChecks, type Checked, type CheckPorts } from '#pkg/check';
import { loadManifests, ownBundle, renderManifests } from '#pkg/install';
import { UserError, type KubeObject } from '#pkg/object';
import { printable, type Style, type Tone } from '#pkg/render';
import type { Args } from '../args.ts';
import type { Command } from '../command.ts';
import type { Io } from '../io.ts';
import { outputFlag, outputFormat, serialized } from '../output.ts';
import { VERSION } from '../release.ts';
import { styleOf } from '../terminal.ts';
import { openCluster, type Cluster } from '../wiring.ts';

const FORMATS = ['json', 'yaml'];

export const check: Command = {
  name: 'check',
  summary: 'Whether all is well: server, rights, installation, webhook, Rook',
  description: `Looks at everything that protection rests on: the server, your rights, the installation and its certificates, whether
the webhook answers and the controller may ask Ceph, Rook, and labels or finalizers that were left behind. It writes
nothing: what is tried is a dry run.

Exit code 1 if anything fails; warnings do not count.`,
  usage: 'check [--pre] [flags] [options]',
  examples: [
    { what: 'Does the protection work?', line: 'kubectl rook-deps check' },
    { what: 'Can it be installed here?', line: 'kubectl rook-deps check --pre' },
  ],
  flags: {
    pre: { type: 'boolean', describe: 'Check whether rook-deps can be installed.' },
    output: outputFlag(FORMATS),
  },
  async run(args, io, signal) {
    const format = outputFormat(args, FORMATS);
    if (args.words.length > 0) throw new UserError(`error: unexpected argument "${args.words[0] ?? ''}"`);
    const cluster = await openCluster(args, io);
    try {
      const ports = await portsOf(cluster, io);
      const found = await findPresent(ports, signal);
      const checks = args.isSet('pre') ? preChecks(found, ports) : allChecks(found, ports);
      const isText = format !== 'json' && format !== 'yaml';
      const checked = await runChecks(checks, isText ? await teller(args, io) : () => undefined, signal);
      if (!isText) io.print(await serialized(documentOf(checked), format));
      else io.print(`\n${summary(checked)}`);
      return checked.some(({ finding }) => finding.result === 'fail') ? 1 : 0;
    } finally {
      cluster.close();
    }
  },
};

async function portsOf({ reader, writer, raw }: Cluster, io: Io): Promise<CheckPorts> {
  // A run from the sources has no bundle to compare with.
  const bundle = await ownBundle().catch(() => undefined);
  const manifests = async (namespace: string): Promise<readonly KubeObject[]> => {
    const options = { namespace, version: VERSION, grants: [] };
    const all = await loadManifests();
    return bundle ? renderManifests(all, options, bundle) : all;
  };
  return {
    reader,
    writer,
    raw,
    types: (signal) => reader.types(signal),
    manifests,
    plugin: { version: VERSION, bundleHash: bundle?.hash },
    now: io.now,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  };
}

const SIGNS = {
  ok: { tone: 'good', unicode: '√', ascii: '[ok]' },
  warn: { tone: 'unsure', unicode: '‼', ascii: '[warn]' },
  fail: { tone: 'bad', unicode: '×', ascii: '[fail]' },
} as const satisfies Record<
  string,
  { readonly tone: Tone; readonly unicode: string; readonly ascii: string }
>;

/** Prints each finding as it comes, below the heading of its section. */
async function teller(args: Args, io: Io): Promise<(checked: Checked) => void> {
  const style = await styleOf(args, io);
  let section: string | undefined;
  return (checked) => {
    if (checked.section !== section)
      io.print(`${section ? '\n' : ''}${style.paint('strong', checked.section)}`);
    section = checked.section;
    for (const line of linesOf(checked, style)) io.print(line);
  };
}

function linesOf({ title, finding }: Checked, style: Style): readonly string[] {
  const { tone, unicode, ascii } = SIGNS[finding.result];
  const sign = style.paint(tone, style.unicode ? unicode : ascii);
  if (finding.result === 'ok') {
    const detail = finding.detail ? style.paint('quiet', ` (${printable(finding.detail)})`) : '';
    return [`  ${sign} ${title}${detail}`];
  }
  return [
    `  ${sign} ${title}`,
    `      ${printable(finding.detail)}`,
    `      hint: ${printable(finding.hint)}`,
  ];
}

function summary(checked: readonly Checked[]): string {
  const count = (result: string): number => checked.filter(({ finding }) => finding.result === result).length;
  const [failures, warnings] = [count('fail'), count('warn')];
  if (failures > 0) return `${failures} of ${checked.length} checks failed, ${warnings} warn.`;
  return warnings > 0 ? `All works; ${warnings} of ${checked.length} checks warn.` : 'All is well.';
}

function documentOf(checked: readonly Checked[]): object {
  return {
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'CheckReport',
    success: checked.every(({ finding }) => finding.result !== 'fail'),
    checks: checked.map(({ section, title, finding }) => ({ section, title, ...finding })),
  };
}
