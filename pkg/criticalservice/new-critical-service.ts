import { createHash } from 'node:crypto';
import type { KubeObject } from '#pkg/object';
import type { Criterion, DeletionPolicy, Named } from './critical-service.ts';

const MAX_NAME = 63;

export interface NewCriticalService {
  readonly provider: Named;
  /** Of the provider, for the name. */
  readonly kind: string;
  readonly criteria: readonly Criterion[];
  readonly deletionPolicy?: DeletionPolicy | undefined;
  readonly replayDeletion: boolean;
}

export function newCriticalService(wish: NewCriticalService): KubeObject {
  return {
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'CriticalService',
    metadata: { name: nameFor(wish) },
    spec: {
      provider: wish.provider,
      criteria: wish.criteria.map(({ type, ...rest }) =>
        type === 'Finalizer' ? { type, finalizer: rest } : { type, specificResource: rest },
      ),
      ...(wish.deletionPolicy ? { deletionPolicy: wish.deletionPolicy } : {}),
      ...(wish.replayDeletion ? { replayDeletion: true } : {}),
    },
  };
}

/** The same provider twice is one service: the name says what it keeps. */
function nameFor({ provider, kind }: NewCriticalService): string {
  const { group, resource, namespace, name } = provider;
  const parts = [kind.toLowerCase(), ...(namespace ? [namespace] : []), name];
  const plain = parts.join('-').replaceAll(/[^a-z0-9-]/g, '-');
  if (plain.length <= MAX_NAME && /^[a-z0-9-]+$/.test(name)) return plain;
  const identity = JSON.stringify([group, resource, namespace, name]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 8);
  return `${plain.slice(0, MAX_NAME - hash.length - 1).replace(/-+$/, '')}-${hash}`;
}
