import {
  destroysData,
  isTerminating,
  isTrueAt,
  Kinds,
  textAt,
  type KubeObject,
  type Reader,
} from '#pkg/object';
import type { AdminOps } from './admin-ops.ts';
import { gapFor } from './answered.ts';
import { namespaceContents, poolContents } from './block-contents.ts';
import { storeContents, zoneContents } from './bucket-contents.ts';
import type { Ceph } from './client.ts';
import { NOTHING, type CephContents, type Contents } from './contents.ts';
import { filesystemContents, groupContents } from './file-contents.ts';
import { questionsAbout } from './questions.ts';
import { CephRefused } from './runner.ts';

export interface AskedPorts {
  readonly reader: Pick<Reader, 'get' | 'list'>;
  /** The way to the Ceph of a CephCluster; without one there may be none. */
  cephOf(cluster: KubeObject | undefined): Ceph | undefined;
  readonly adminOps: AdminOps;
  /** Whether we run where names of Services mean something. */
  readonly isInCluster: boolean;
}

/** Kinds that stand for something in an external cluster, which Rook leaves as it is. */
const LEFT_ALONE = ['CephBlockPoolRadosNamespace', 'CephFilesystemSubVolumeGroup'];
/** A rados namespace of this name is the pool's own, and deleting the resource removes nothing. */
const IMPLICIT = '<implicit>';

/** Asks Ceph. What it does not answer is a gap. */
export function askedCeph(ports: AskedPorts): CephContents {
  return {
    contentsOf: async (resource, signal) => {
      const questions = questionsAbout(resource);
      if (questions.length === 0) return NOTHING;
      if (isGivenUp(resource))
        return withNote('rook.io/force-deletion is set, so Rook removes what it holds');
      const { namespace = '' } = resource.metadata;
      const { items, gaps } = await ports.reader.list(
        { kind: Kinds.CephCluster, namespace, detail: 'object' },
        signal,
      );
      const [gap] = gaps;
      if (gap) return { items: [], gaps: questions.map((what) => ({ what, reason: gap.reason })) };
      const cluster = items.find(({ metadata }) => metadata.namespace === namespace);
      const ceph = ports.cephOf(cluster);
      if (!ceph)
        return withNote(`without a CephCluster in namespace ${namespace}, Rook deletes nothing in Ceph`);
      // Its data are given up, and its daemons may be gone.
      if (cluster && destroysData(cluster) && isTerminating(cluster))
        return withNote('CephCluster is being destroyed with all its data');
      const isExternal = isTrueAt(cluster, 'spec', 'external', 'enable');
      if (isExternal && LEFT_ALONE.includes(resource.kind)) {
        return withNote('CephCluster is external, so Rook deletes nothing in it');
      }
      return contentsIn(resource, { ...ports, ceph }, signal);
    },
  };
}

async function contentsIn(
  resource: KubeObject,
  ports: AskedPorts & { readonly ceph: Ceph },
  signal: AbortSignal,
): Promise<Contents> {
  try {
    return await ask(resource, { ...ports, reader: { get: readable(ports.reader) } }, signal);
  } catch (error) {
    return gapFor(questionsAbout(resource), error);
  }
}

/** Rook empties these when they are deleted with this annotation. */
const EMPTIED = [...LEFT_ALONE, 'CephBlockPool'];
const FORCE_DELETION = 'rook.io/force-deletion';

/** Somebody has told Rook to remove what it holds, once it is deleted. */
function isGivenUp({ kind, metadata }: KubeObject): boolean {
  return EMPTIED.includes(kind) && metadata.annotations?.[FORCE_DELETION]?.toLowerCase() === 'true';
}

function withNote(note: string): Contents {
  return { ...NOTHING, notes: [note] };
}

/** What may not be read, or cannot, leaves the question open. */
function readable({ get }: Pick<Reader, 'get'>): Reader['get'] {
  return (kind, namespace, name, signal) =>
    get(kind, namespace, name, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      throw new CephRefused(`cannot read ${kind.kind} ${name}: ${reason}`, 0);
    });
}

type Ports = Pick<AskedPorts, 'adminOps' | 'isInCluster'> & {
  readonly ceph: Ceph;
  readonly reader: Pick<Reader, 'get'>;
};

function ask(resource: KubeObject, ports: Ports, signal: AbortSignal): Promise<Contents> {
  const { ceph } = ports;
  const name = textAt(resource, 'spec', 'name') ?? resource.metadata.name;
  switch (resource.kind) {
    case 'CephBlockPool':
      return poolContents(ceph, name, signal);
    case 'CephBlockPoolRadosNamespace': {
      const pool = textAt(resource, 'spec', 'blockPoolName') ?? '';
      if (name === IMPLICIT)
        return Promise.resolve(withNote('an implicit rados namespace holds nothing itself'));
      return cephPoolOf(resource, pool, ports, signal).then((own) =>
        namespaceContents(ceph, own, name, signal),
      );
    }
    case 'CephFilesystem':
      return filesystemContents(ceph, resource.metadata.name, signal);
    case 'CephFilesystemSubVolumeGroup': {
      const filesystem = textAt(resource, 'spec', 'filesystemName') ?? '';
      return groupContents(ceph, filesystem, name, signal);
    }
    case 'CephObjectStore':
      return storeContents(resource, ports, signal);
    case 'CephObjectZone':
      return zoneContents(resource, ports, signal);
    default:
      return Promise.resolve(NOTHING);
  }
}

/** The resource names a CephBlockPool, whose pool in Ceph may have another name. */
async function cephPoolOf(
  resource: KubeObject,
  pool: string,
  { reader }: Ports,
  signal: AbortSignal,
): Promise<string> {
  const found = await reader.get(Kinds.CephBlockPool, resource.metadata.namespace, pool, signal);
  return textAt(found, 'spec', 'name') ?? pool;
}
