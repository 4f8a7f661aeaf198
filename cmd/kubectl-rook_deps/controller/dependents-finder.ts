import {
  sharedCensus,
  sharedContents,
  sharedLooks,
  sparingDestroyed,
  verifiedFinder,
  withContents,
  type DependentsWatch,
  type Finding,
} from '#pkg/dependents';
import { Kinds, type KubeObject, type Listing } from '#pkg/object';
import { dataGivenUp, takenAlongBy } from '#pkg/verdict';
import type { Machinery } from './feature.ts';
import { LookThread } from './look-thread.ts';

const LOOK_MS = 10_000;
/** Ceph's own limit is shorter. */
const CONTENTS_MS = 20_000;

/** Finds out what holds a resource now: from a cache that is proved to be current, from a look, and from Ceph. */
export class DependentsFinder {
  /** Runs beside everything else. */
  readonly thread: LookThread;
  readonly #find: (subject: KubeObject, signal: AbortSignal) => Promise<Finding>;

  constructor(
    { connection, reader, census, contents, cephMode, clock, logger }: Machinery,
    cache: DependentsWatch,
    mayHoldData: (resource: KubeObject) => boolean,
  ) {
    this.thread = new LookThread(connection, logger);
    const look = sharedLooks((subjects, signal) => this.thread.look(subjects, signal), LOOK_MS);
    const takenAlong = async (subject: KubeObject, signal: AbortSignal): Promise<Listing> => {
      const wanted = cephMode === 'off' ? [] : (takenAlongBy(subject)?.resources ?? []);
      const lists = await Promise.all(wanted.map((all) => reader.list({ ...all, detail: 'object' }, signal)));
      const items = lists.flatMap((list) => list.items);
      return {
        items: dataGivenUp(subject, items) ? [] : items.filter(mayHoldData),
        gaps: lists.flatMap(({ gaps }) => gaps),
      };
    };
    const findAll = withContents(
      verifiedFinder({ cache, census: sharedCensus(census, LOOK_MS), look, clock }),
      {
        contents: sharedContents(contents, CONTENTS_MS),
        takenAlong,
      },
    );
    this.#find = sparingDestroyed(findAll, {
      isDestroyed: (subject) => cache.isDestroyed(subject),
      clustersIn: (namespace, signal) =>
        reader.list({ kind: Kinds.CephCluster, namespace, detail: 'object' }, signal),
    });
  }

  find(subject: KubeObject, signal: AbortSignal): Promise<Finding> {
    return this.#find(subject, signal);
  }
}
