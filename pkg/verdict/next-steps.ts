import { KNOWN_TYPES, type Gap } from '#pkg/object';
import type { Cause, DependencyReport, ObjectName } from './report.ts';

type Findings = Pick<DependencyReport, 'subject' | 'verdict' | 'deletion' | 'causes' | 'gaps'> & {
  /** Whether Ceph would have to be asked. */
  readonly lacksCeph?: boolean;
};

const MAX_SUGGESTIONS = 3;

/** Commands to copy: what to look at next, never anything that destroys what is still needed. */
export function nextSteps({
  subject,
  verdict,
  deletion,
  causes,
  gaps,
  lacksCeph,
}: Findings): readonly string[] {
  const own = `${shortName(subject)}${inNamespace(subject)}`;
  switch (verdict) {
    case 'Blocked':
      return [`kubectl rook-deps tree ${own}`, ...askAbout(causes), ...explain(causes)];
    case 'Deletable':
      return deletion ? afterRelease(subject, deletion.operator) : [`kubectl delete ${own}`];
    case 'Unknown':
      return [...gaps.flatMap(checkRights), ...(lacksCeph ? ['kubectl rook-deps explain RD027'] : [])];
  }
}

/** `cephblockpool/replicapool`; kinds of other groups than Rook's and the core are named in full. */
export function shortName({ apiVersion, kind, name }: ObjectName): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const type = kind.toLowerCase();
  return quoted(`${group === '' || group === 'ceph.rook.io' ? type : `${type}.${group}`}/${name}`);
}

function inNamespace({ namespace }: ObjectName): string {
  return namespace ? ` -n ${quoted(namespace)}` : '';
}

/** Manifests hold any text as a name, and people paste what we print. */
function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function askAbout(causes: readonly Cause[]): readonly string[] {
  return causes
    .filter(({ object }) => object.apiVersion.startsWith('ceph.rook.io/'))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ object }) => `kubectl rook-deps why ${shortName(object)}${inNamespace(object)}`);
}

function explain(causes: readonly Cause[]): readonly string[] {
  const codes = [...new Set(causes.map(({ code }) => code))];
  return codes.slice(0, MAX_SUGGESTIONS).map((code) => `kubectl rook-deps explain ${code}`);
}

function afterRelease(subject: ObjectName, operator: string | undefined): readonly string[] {
  const watch = `kubectl get ${shortName(subject)}${inNamespace(subject)} --watch`;
  const findOperator = 'kubectl get pods -A -l app=rook-ceph-operator';
  return operator === 'Running' || operator === undefined ? [watch] : [findOperator, watch];
}

function checkRights({ what, reason }: Gap): readonly string[] {
  const type = KNOWN_TYPES.find(({ kind }) => what === kind || what.startsWith(`${kind} `));
  if (!type || !reason.startsWith('forbidden')) return [];
  const resource = type.group ? `${type.plural}.${type.group}` : type.plural;
  return [`kubectl auth can-i list ${resource} --all-namespaces`];
}
