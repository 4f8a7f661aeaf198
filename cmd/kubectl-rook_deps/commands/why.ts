import type { Args } from '../args.ts';
import { CEPH_FLAGS } from '../ceph.ts';
import type { Command } from '../command.ts';
import { shellQuoted, suggestedFlags } from '../global-flags.ts';
import type { Io } from '../io.ts';
import { outputFlag, outputFormat, serialized } from '../output.ts';
import { missingKinds, namesIn, renderAny, reportList, reportsOn, type Report } from '../reports.ts';
import { requireResource } from '../resource-args.ts';
import { findSubjects, noneFound, SUBJECT_FLAGS } from '../subjects.ts';
import { styleOf } from '../terminal.ts';
import { FROM_FLAG, openSource, warn, type Source } from '../wiring.ts';

const FORMATS = ['json', 'name', 'wide', 'yaml'];
const EXIT_CODES = { Deletable: 0, Drainable: 0, Blocked: 2, Unknown: 3 } as const;

export const why: Command = {
  name: 'why',
  summary: 'May this resource go? What holds it, and what to do next',
  description: `Says whether a resource may be deleted: what depends on it, what could not be checked, and what to do next.

The verdict is BLOCKED while anything needs the resource, UNKNOWN when nothing was found but not everything could be
checked, and DELETABLE when everything was looked at: with --no-ceph all but Ceph, with --from all that the files hold.
Nothing is changed.

What Ceph holds is asked in the pod of the Rook operator, or in the toolbox; that needs the rights get and create on
pods/exec. What Ceph does not answer counts as unchecked.

Of a node it says whether it can be drained: which budget holds which pods, for the sake of which failure domain, how
the placement groups are and what would become of them without the node, how long noout still holds, and which maintenance
it is in or has to wait for.

With --exit-code or -q the exit code tells: 0 deletable or drainable, 2 blocked, 3 unknown; 1 is an error.`,
  usage: 'why (TYPE NAME... | TYPE/NAME... | TYPE) [flags] [options]',
  examples: [
    {
      what: 'May the pool go? What holds it?',
      line: 'kubectl rook-deps why cephblockpool/replicapool -n rook-ceph',
    },
    {
      what: 'Guard a deletion in a script',
      line: 'kubectl rook-deps why cephbp/replicapool -n rook-ceph -q && kubectl delete cephbp/replicapool -n rook-ceph',
    },
    {
      what: 'The same answer from saved manifests, with no cluster at all',
      line: 'kubectl rook-deps why cephfs/myfs --from dump/ --from more.yaml',
    },
    {
      what: 'Can the node be drained? What does a drain wait for?',
      line: 'kubectl rook-deps why node/worker-2',
    },
    {
      what: 'All object stores of all namespaces, as JSON',
      line: 'kubectl rook-deps why cephobjectstores -A -o json',
    },
  ],
  flags: {
    output: outputFlag(FORMATS),
    ...SUBJECT_FLAGS,
    from: FROM_FLAG,
    ...CEPH_FLAGS,
    'exit-code': {
      type: 'boolean',
      describe: 'Exit with 0 when deletable or drainable, 2 when blocked, 3 when unknown.',
    },
    quiet: { type: 'boolean', alias: 'q', describe: 'Print no report; implies --exit-code.' },
    'no-headers': { type: 'boolean', describe: "Don't print headers." },
  },
  async run(args, io, signal) {
    const format = outputFormat(args, FORMATS);
    requireResource(args.words);
    const source = await openSource(args, io, signal);
    try {
      const subjects = await findSubjects(args, source, signal);
      const missing = source.savedKinds ? missingKinds(subjects, source.savedKinds) : [];
      // Files may have been saved without a kind: then "none" only means that none was saved.
      if (missing.length > 0) warn(io, `not in the files, so taken for not there: ${missing.join(', ')}`);
      const flags = suggestedFlags(args);
      const reports = (await reportsOn(subjects, args, source, io, signal)).map((report) =>
        withFlags(report, flags),
      );
      if (!args.isSet('quiet')) await print(reports, format, args, source, io);
      return args.isSet('quiet') || args.isSet('exit-code') ? exitCodeOf(reports) : 0;
    } finally {
      source.close();
    }
  },
};

async function print(
  reports: readonly Report[],
  format: string | undefined,
  args: Args,
  source: Source,
  io: Io,
): Promise<void> {
  if (format === 'json' || format === 'yaml') {
    const [only] = reports;
    io.print(
      await serialized(
        reports.length === 1 && args.words.length > 0 && !isQuestionOfType(args) ? only : reportList(reports),
        format,
      ),
    );
    return;
  }
  if (reports.length === 0) {
    io.error(noneFound(args, source));
    return;
  }
  if (format === 'name') {
    for (const name of new Set(reports.flatMap(namesIn))) io.print(name);
    return;
  }
  const style = await styleOf(args, io);
  const options = { style, wide: format === 'wide', headers: !args.isSet('no-headers'), now: io.now() };
  const saved = args
    .texts('from')
    .map((path) => ` --from ${shellQuoted(path)}`)
    .join('');
  for (const [at, report] of reports.entries()) {
    if (at > 0) io.print('');
    io.print(renderAny(saved ? withSources(report, saved) : report, options));
  }
}

/** `why cephblockpools` asks about as many as there are: a list, whatever their number. */
function isQuestionOfType({ words }: Args): boolean {
  return words.length === 1 && !words[0]?.includes('/');
}

/** A command to copy must not end up at another cluster. */
function withFlags(report: Report, flags: string): Report {
  const asksCluster = (line: string): boolean => !line.startsWith('kubectl rook-deps explain ');
  return { ...report, next: report.next.map((line) => (asksCluster(line) ? line + flags : line)) };
}

/** Files are not the cluster: ask about them again with them, but ask the cluster before changing anything. */
function withSources(report: Report, sources: string): Report {
  const asks = /^kubectl rook-deps (why|tree) /;
  const next = report.next.map((line) =>
    asks.test(line)
      ? line + sources
      : line
          .replace(/^kubectl delete /, 'kubectl rook-deps why ')
          .replace(
            /^kubectl (?:drain|uncordon) (\S+)( --ignore\S+ --delete\S+)?/,
            'kubectl rook-deps why node/$1',
          ),
  );
  return { ...report, next };
}

function exitCodeOf(reports: readonly Report[]): number {
  const codes = reports.map(({ verdict }) => EXIT_CODES[verdict]);
  const isBlocked = codes.includes(EXIT_CODES.Blocked);
  return isBlocked ? EXIT_CODES.Blocked : Math.max(0, ...codes);
}
