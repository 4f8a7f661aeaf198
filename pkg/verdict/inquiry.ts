import {
  groupOf,
  isRookKind,
  isTerminating,
  keyOf,
  kindKey,
  Kinds,
  refOf,
  type Gap,
  type KubeObject,
  type Reader,
} from '#pkg/object';
import { DependencyIndex, knowsDependentsOf, needsOfVerdict, NEEDS_OF_CONSUMERS } from '#pkg/rules';
import { gatherComposition } from './composition.ts';
import { dataGivenUp } from './destruction.ts';
import { operatorState, type OperatorState } from './deletion.ts';
import { gather, type Gathered, type Lister } from './gather.ts';
import { judge, type ContentsFound } from './judge.ts';
import type { DependencyReport, ObjectName } from './report.ts';
import { takenAlongBy } from './takes-along.ts';
import { judgeWhole } from './whole.ts';

/** Asks Ceph what a resource holds. */
export interface ContentsReader {
  contentsOf(resource: KubeObject, signal: AbortSignal): Promise<ContentsFound>;
}

/** Where objects come from; what cannot be asked for one object does not know what others are composed of. */
type Source = Lister & Partial<Pick<Reader, 'get'>>;

/** Looks at all that matters for these objects, once, and judges each of them. Leave `ceph` out to not ask it. */
export async function inquire(
  lister: Source,
  subjects: readonly KubeObject[],
  ceph: ContentsReader | undefined,
  signal: AbortSignal,
): Promise<readonly DependencyReport[]> {
  const wholes = await Promise.all(
    subjects.map(async (subject) => ({
      ...(await partsOf(subject, lister, signal)),
      goes: goesWith(subject),
    })),
  );
  const { index, gapsOf } = await look(
    lister,
    subjects,
    wholes.flatMap((whole) => whole.items),
    signal,
  );
  const usedSubjects = new Set(subjects.filter((subject) => holdsVolumes(index, subject)));
  const consumerGaps = usedSubjects.size > 0 ? await addConsumers(lister, index, signal) : [];
  const operator = subjects.some(isTerminating) ? await findOperator(lister, signal) : 'Unknown';
  const judgeOne = async (
    object: KubeObject,
    further: readonly Gap[],
    asked = ceph,
  ): Promise<DependencyReport> => {
    const contents = (await asked?.contentsOf(object, signal)) ?? { items: [], gaps: [] };
    const own = [...further, ...gapsOf(object)];
    const consumed = usedSubjects.has(object) ? consumerGaps : [];
    return judge(object, { index, gaps: [...own, ...consumed], contents, operator });
  };
  return Promise.all(
    subjects.map(async (subject, at) => {
      const { items: members = [], gaps: unseen = [], goes } = wholes[at] ?? {};
      const further = [...kindGaps(subject), ...unseen.map(({ gap }) => gap)];
      // Of what a whole is composed of, only storage matters: of most other kinds nobody knows what needs them.
      const note = dataGivenUp(subject, members);
      const asked = note ? SILENT : ceph;
      const judged = await Promise.all(
        members.map((member) => judgeOne(member, rookKindGaps(member), asked)),
      );
      return judgeWhole(withNote(await judgeOne(subject, further), note), judged, goes);
    }),
  );
}

/** The same verdicts, without a look at who uses the volumes or how far a deletion has come: that decides nothing. */
export async function decide(
  lister: Lister,
  subjects: readonly KubeObject[],
  ceph: ContentsReader,
  signal: AbortSignal,
): Promise<readonly DependencyReport[]> {
  const taken = await Promise.all(subjects.map((subject) => gatherTaken(subject, lister, signal)));
  const { index, gapsOf } = await look(
    lister,
    subjects,
    taken.flatMap(({ items }) => items),
    signal,
  );
  const judgeOne = async (object: KubeObject, further: readonly Gap[]): Promise<DependencyReport> => {
    const contents = await ceph.contentsOf(object, signal);
    return judge(object, { index, gaps: [...further, ...gapsOf(object)], contents, operator: 'Unknown' });
  };
  return Promise.all(
    subjects.map(async (subject, at) => {
      const { items = [], gaps = [] } = taken[at] ?? {};
      // What else is lost with a namespace or a definition is not ours to say.
      const further = takenAlongBy(subject) ? gaps.map(({ gap }) => gap) : kindGaps(subject);
      const parts = await Promise.all(items.map((item) => judgeOne(item, rookKindGaps(item))));
      return judgeWhole(await judgeOne(subject, further), parts, goesWith(subject));
    }),
  );
}

/** Of what is destroyed with a cluster nobody wants to know what it holds. */
const SILENT: ContentsReader = { contentsOf: async () => ({ items: [], gaps: [] }) };

function withNote(report: DependencyReport, note: string | undefined): DependencyReport {
  return note ? { ...report, notes: [...(report.notes ?? []), note] } : report;
}

interface Seen {
  readonly index: DependencyIndex;
  /** What could not be looked at, and what must depend on something that nobody names. */
  gapsOf(subject: KubeObject): readonly Gap[];
}

async function look(
  lister: Lister,
  subjects: readonly KubeObject[],
  parts: readonly KubeObject[],
  signal: AbortSignal,
): Promise<Seen> {
  const { items, gaps } = await gather(lister, needsOfVerdict([...subjects, ...parts].map(refOf)), signal);
  // The subjects come last: they were read whole, and a list may have brought only their metadata.
  const index = new DependencyIndex([...items, ...parts, ...subjects]);
  return {
    index,
    gapsOf(subject) {
      const kinds = new Set(needsOfVerdict([refOf(subject)]).map(({ kind }) => kindKey(kind)));
      const unseen = gaps.filter(({ kind }) => kinds.has(kindKey(kind))).map(({ gap }) => gap);
      return [...unseen, ...doubtGaps(index, subject)];
    },
  };
}

async function partsOf(subject: KubeObject, source: Source, signal: AbortSignal): Promise<Gathered> {
  if (takenAlongBy(subject)) return gatherTaken(subject, source, signal);
  const { get } = source;
  return get ? gatherComposition({ get }, [subject], 'dependents', signal) : { items: [], gaps: [] };
}

/** The resources of Rook's that go with a namespace, a definition or a cluster, without that itself. */
async function gatherTaken(subject: KubeObject, lister: Lister, signal: AbortSignal): Promise<Gathered> {
  const needs = takenAlongBy(subject)?.resources.map((all) => ({ ...all, detail: 'object' }) as const);
  if (!needs) return { items: [], gaps: [] };
  const { items, gaps } = await gather(lister, needs, signal);
  const own = keyOf(refOf(subject));
  return { items: items.filter((item) => keyOf(refOf(item)) !== own), gaps };
}

function goesWith(subject: KubeObject): (object: ObjectName) => boolean {
  const taken = takenAlongBy(subject);
  return ({ apiVersion, kind, namespace }) =>
    taken?.goes({ group: groupOf(apiVersion), kind, namespace }) ?? false;
}

/** Of a kind that no rule is about, finding nothing says nothing. */
function kindGaps(subject: KubeObject): readonly Gap[] {
  if (knowsDependentsOf(refOf(subject))) return [];
  const article = /^[AEIOU]/.test(subject.kind) ? 'an' : 'a';
  return [
    {
      what: `dependents of ${article} ${subject.kind}`,
      reason: 'no rule knows what depends on this kind',
    },
  ];
}

/** The same, of what is Rook's: a later version may have kinds that hold data. */
export function rookKindGaps(subject: KubeObject): readonly Gap[] {
  return isRookKind(refOf(subject)) ? kindGaps(subject) : [];
}

function doubtGaps(index: DependencyIndex, subject: KubeObject): readonly Gap[] {
  return index.doubtsAbout(refOf(subject)).map(({ object: { kind, namespace, name }, reason }) => ({
    what: `${kind} ${namespace ? `${namespace}/` : ''}${name}`,
    reason,
  }));
}

function holdsVolumes(index: DependencyIndex, subject: KubeObject): boolean {
  return index.graph
    .edgesAt(keyOf(refOf(subject)), 'dependents')
    .some(({ dependent, blocks }) => blocks && !isRookKind(dependent));
}

async function addConsumers(
  lister: Lister,
  index: DependencyIndex,
  signal: AbortSignal,
): Promise<readonly Gap[]> {
  const { items, gaps } = await gather(lister, NEEDS_OF_CONSUMERS, signal);
  index.add(items);
  return gaps.map(({ gap }) => gap);
}

async function findOperator(lister: Lister, signal: AbortSignal): Promise<OperatorState> {
  const { items, gaps } = await lister.list(
    { kind: Kinds.Pod, detail: 'object', labelSelector: 'app=rook-ceph-operator' },
    signal,
  );
  return gaps.length > 0 && items.length === 0 ? 'Unknown' : operatorState(items);
}
