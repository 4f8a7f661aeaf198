import { describe, expect, test } from 'vitest';
import { keyOf, Kinds, refOf, type KubeObject } from '#pkg/object';
import { anObject } from '#test/fixtures/objects.ts';
import { DependencyIndex } from './dependency-index.ts';

const PROVIDER = { group: 'apps', resource: 'deployments', namespace: 'rook-ceph', name: 'operator' };
const OPERATOR = anObject(Kinds.Deployment, 'operator');
const HOME: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rook-ceph' } };

interface Parts {
  readonly spec?: object;
  readonly status?: object;
}

function aService({ spec = {}, status = {} }: Parts = {}): KubeObject {
  return {
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'CriticalService',
    metadata: { name: 's', generation: 2 },
    spec: { provider: PROVIDER, criteria: [], ...spec },
    status,
  };
}

function satisfied(status: string, observedGeneration = 2, message = ''): object {
  return { conditions: [{ type: 'Satisfied', status, observedGeneration, message }] };
}

function edgesTo(subject: KubeObject, ...others: readonly KubeObject[]): readonly string[] {
  const index = new DependencyIndex([subject, ...others]);
  const edges = index.graph.edgesAt(keyOf(refOf(subject)), 'dependents');
  return edges
    .filter(({ code }) => code === 'RD045' || code === 'RD046')
    .map(
      ({ code, dependent, detail, blocks }) =>
        `${code} ${dependent.kind}/${dependent.name}${detail ? ` (${detail})` : ''}${blocks ? ' blocks' : ''}`,
    );
}

describe('RD045', () => {
  test('a critical service keeps its provider, and the namespace of it', () => {
    const status = satisfied('False', 2, '3 cephclusters');
    const service = aService({ status });
    const kept = ['RD045 CriticalService/s (waits for 3 cephclusters) blocks'];
    expect(edgesTo(OPERATOR, service)).toEqual(kept);
    expect(edgesTo(HOME, service, OPERATOR)).toEqual(kept);
  });

  test('one that no controller has looked at keeps it, too', () => {
    expect(edgesTo(OPERATOR, aService())).toEqual(['RD045 CriticalService/s blocks']);
    const old = aService({ status: satisfied('True', 1) });
    expect(edgesTo(OPERATOR, old)).toEqual(['RD045 CriticalService/s blocks']);
  });

  test('one whose criteria are met is shown, and does not block', () => {
    expect(edgesTo(OPERATOR, aService({ status: satisfied('True') }))).toEqual(['RD045 CriticalService/s']);
  });

  test('one of another name, kind or namespace does not', () => {
    for (const change of [
      { name: 'other' },
      { resource: 'statefulsets' },
      { namespace: 'other' },
      { group: '' },
    ]) {
      const service = aService({ spec: { provider: { ...PROVIDER, ...change } } });
      expect(edgesTo(OPERATOR, service)).toEqual([]);
    }
  });

  test('one that is released, or whose provider is of an unknown kind, keeps nothing', () => {
    expect(edgesTo(OPERATOR, aService({ status: { released: true } }))).toEqual([]);
    const provider = { ...PROVIDER, resource: 'things', group: 'example.com' };
    expect(edgesTo(OPERATOR, aService({ spec: { provider } }))).toEqual([]);
  });

  test('the kind that the controller has found counts', () => {
    const thing: KubeObject = {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name: 'operator', namespace: 'rook-ceph' },
    };
    const spec = { provider: { ...PROVIDER, resource: 'things', group: 'example.com' } };
    expect(edgesTo(thing, aService({ spec, status: { provider: { kind: 'Thing' } } }))).toEqual([
      'RD045 CriticalService/s blocks',
    ]);
  });
});

describe('RD046', () => {
  test('the provider holds its critical service', () => {
    expect(edgesTo(aService())).toEqual(['RD046 Deployment/operator blocks']);
  });

  test('a provider that is gone does not', () => {
    const ready = { type: 'Ready', status: 'False', reason: 'ProviderNotFound', observedGeneration: 2 };
    expect(edgesTo(aService({ status: { conditions: [ready] } }))).toEqual([]);
  });

  test('with Orphan, or with BestEffort and all criteria met, it is shown only', () => {
    const shown = ['RD046 Deployment/operator'];
    expect(edgesTo(aService({ spec: { deletionPolicy: 'Orphan' } }))).toEqual(shown);
    const best = { deletionPolicy: 'BestEffort' };
    expect(edgesTo(aService({ spec: best, status: satisfied('True') }))).toEqual(shown);
    expect(edgesTo(aService({ spec: best }))).toEqual(['RD046 Deployment/operator blocks']);
  });
});
