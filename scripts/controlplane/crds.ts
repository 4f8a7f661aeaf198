import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, ensureCached } from './cache.ts';
import { moduleFolder, requireGo, type GoModule } from './go.ts';

/** Files with CustomResourceDefinitions, one per project that defines them. */
export interface CrdFiles {
  readonly rook: string;
  readonly csi: string;
  readonly snapshots: string;
  readonly cosi: string;
}

interface CrdSource {
  readonly module: GoModule;
  readonly files: readonly string[];
  /** Added to each definition. */
  readonly annotation?: string;
}

const ROOK: GoModule = {
  path: 'github.com/rook/rook',
  version: 'v1.20.6',
  sum: 'h1:2+Qe/CLcZ2WrXf9Vhf21JwZQqN8cVXPQskZzHf3KLjU=',
};

const SNAPSHOTTER: GoModule = {
  path: 'github.com/kubernetes-csi/external-snapshotter/client/v8',
  version: 'v8.4.0',
  sum: 'h1:bMqrb3UHgHbP+PW9VwiejfDJU1R0PpXVZNMdeH8WYKI=',
};

const COSI: GoModule = {
  path: 'sigs.k8s.io/container-object-storage-interface-api',
  version: 'v0.1.0',
  sum: 'h1:8tB6JFQhbQIC1hwGQ+q4+tmSSNfjKemb7bFI6C0CK/4=',
};

/** Kubernetes demands it on definitions of its own groups; COSI too adds it only when it is deployed. */
const APPROVAL =
  'api-approved.kubernetes.io: https://github.com/kubernetes/enhancements/tree/master/keps/sig-storage/1979-object-storage-support';

const snapshotFile = (plural: string): string => `config/crd/snapshot.storage.k8s.io_${plural}.yaml`;
const cosiFile = (plural: string): string => `crds/objectstorage.k8s.io_${plural}.yaml`;

const SOURCES: Readonly<Record<keyof CrdFiles, CrdSource>> = {
  rook: { module: ROOK, files: ['deploy/examples/crds.yaml'] },
  csi: { module: ROOK, files: ['deploy/examples/csi-operator.yaml'] },
  snapshots: {
    module: SNAPSHOTTER,
    files: ['volumesnapshotclasses', 'volumesnapshotcontents', 'volumesnapshots'].map(snapshotFile),
  },
  cosi: {
    module: COSI,
    files: ['bucketaccessclasses', 'bucketaccesses', 'bucketclaims', 'bucketclasses', 'buckets'].map(
      cosiFile,
    ),
    annotation: APPROVAL,
  },
};

/** The real definitions, taken out of their Go modules once and kept in the cache. Throws Unavailable without Go. */
export async function crdFiles(
  report: (line: string) => void = () => undefined,
  signal: AbortSignal = new AbortController().signal,
): Promise<CrdFiles> {
  const folder = cacheFolder('crds', JSON.stringify(SOURCES));
  const fileOf = (name: string): string => `${name}.yaml`;
  const fill = async (into: string): Promise<void> => {
    await requireGo("download Rook's resource definitions", signal);
    for (const [name, source] of Object.entries(SOURCES)) {
      report(`reading the ${name} definitions of ${source.module.path}@${source.module.version}…`);
      await writeFile(join(into, fileOf(name)), await definitions(source, signal));
    }
  };
  await ensureCached({ folder, files: Object.keys(SOURCES).map(fileOf), fill, report }, signal);
  return {
    rook: join(folder, 'rook.yaml'),
    csi: join(folder, 'csi.yaml'),
    snapshots: join(folder, 'snapshots.yaml'),
    cosi: join(folder, 'cosi.yaml'),
  };
}

async function definitions({ module, files, annotation }: CrdSource, signal: AbortSignal): Promise<string> {
  const folder = await moduleFolder(module, signal);
  const texts = await Promise.all(
    files.map((file) => readFile(join(folder, file), { encoding: 'utf8', signal })),
  );
  return texts
    .flatMap((text) => text.split(/^---.*$/m))
    .filter((document) => /^kind: CustomResourceDefinition$/m.test(document))
    .map((document) =>
      annotation
        ? document.replace(
            /^  annotations:$/m,
            `  annotations:
    ${annotation}`,
          )
        : document,
    )
    .join('---');
}
