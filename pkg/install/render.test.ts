import { beforeAll, describe, expect, test } from 'vitest';
import { fieldAt, listAt, ROOK_KINDS, textAt, type KubeObject } from '#pkg/object';
import { bundleOf } from './bundle.ts';
import { loadManifests } from './manifests.ts';
import { renderManifests, type InstallOptions } from './render.ts';

const BUNDLE = bundleOf(Buffer.from('a bundle'));
const OPTIONS: InstallOptions = { namespace: 'rook-deps-system', version: 'v1.2.3', grants: [] };

let manifests: readonly KubeObject[];
beforeAll(async () => {
  manifests = await loadManifests();
});

function render(options: Partial<InstallOptions> = {}): readonly KubeObject[] {
  return renderManifests(manifests, { ...OPTIONS, ...options }, BUNDLE);
}

function deploymentOf(objects: readonly KubeObject[]): KubeObject | undefined {
  return objects.find(({ kind }) => kind === 'Deployment');
}

describe('the objects of an installation', () => {
  test('come in an order in which each finds what it needs, and people are let in last', () => {
    const objects = render();
    expect(objects.slice(-2).map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      'ValidatingWebhookConfiguration/rook-deps',
      'ClusterRole/rook-deps-edit',
    ]);
    const kinds = [...new Set(objects.slice(0, -1).map(({ kind }) => kind))];
    expect(kinds.slice(0, 2)).toEqual(['Namespace', 'CustomResourceDefinition']);
    expect(kinds.indexOf('ConfigMap')).toBeLessThan(kinds.indexOf('Deployment'));
    expect(kinds.at(-1)).toBe('ValidatingWebhookConfiguration');
  });

  test('all carry the label by which they are found again', () => {
    const labels = render({ grants: ['deployments.apps'] }).map(
      ({ metadata }) => metadata.labels?.['app.kubernetes.io/managed-by'],
    );
    expect(new Set(labels)).toEqual(new Set(['kubectl-rook-deps']));
  });

  test('name another namespace wherever they name one', () => {
    expect(JSON.stringify(render({ namespace: 'storage' }))).not.toContain('rook-deps-system');
    const policy = render({ namespace: 'storage' }).find(({ kind }) => kind === 'ValidatingAdmissionPolicy');
    expect(JSON.stringify(policy)).toContain('system:serviceaccount:storage:rook-deps-controller');
  });

  test('run the bundle of this content, and say which', () => {
    const objects = render();
    const map = objects.find(({ kind }) => kind === 'ConfigMap');
    expect(map).toMatchObject({ immutable: true, metadata: { name: `rook-deps-bundle-${BUNDLE.hash}` } });
    const deployment = deploymentOf(objects);
    expect(listAt(deployment, 'spec', 'template', 'spec', 'volumes')).toEqual([
      { name: 'bundle', configMap: { name: map?.metadata.name } },
    ]);
    expect(deployment?.metadata.annotations).toMatchObject({
      'rook-deps.io/version': 'v1.2.3',
      'rook-deps.io/bundle': BUNDLE.hash,
      'rook-deps.io/install-options': '{}',
    });
  });

  test('follow the choice whether Ceph is asked, and remember it', () => {
    const deployment = deploymentOf(render({ ceph: 'prefer' }));
    const [container] = listAt(deployment, 'spec', 'template', 'spec', 'containers');
    expect(listAt(container, 'args')).toContain('--ceph=prefer');
    expect(deployment?.metadata.annotations?.['rook-deps.io/install-options']).toBe('{"ceph":"prefer"}');
    const [standard] = listAt(deploymentOf(render({})), 'spec', 'template', 'spec', 'containers');
    expect(JSON.stringify(listAt(standard, 'args'))).not.toContain('--ceph');
  });

  test('let the controller ask Ceph in the namespaces that are wanted, and nowhere else', () => {
    const objects = render({ namespace: 'storage', cephRights: ['rook', 'ceph', 'rook'] });
    const asking = objects.filter((object) => textAt(object, 'roleRef', 'name') === 'rook-deps-ceph');
    expect(asking.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`)).toEqual([
      'RoleBinding rook',
      'RoleBinding ceph',
    ]);
    expect(asking[0]).toMatchObject({
      metadata: { name: 'rook-deps-ceph', labels: { 'app.kubernetes.io/managed-by': 'kubectl-rook-deps' } },
      roleRef: { kind: 'ClusterRole', name: 'rook-deps-ceph' },
      subjects: [{ kind: 'ServiceAccount', name: 'rook-deps-controller', namespace: 'storage' }],
    });
  });

  test('give no more to ask Ceph than to run programs in pods, and the keys of external object stores by name', () => {
    const role = render().find(
      ({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === 'rook-deps-ceph',
    );
    expect(listAt(role, 'rules')).toEqual([
      { apiGroups: [''], resources: ['pods/exec'], verbs: ['get', 'create'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['rgw-admin-ops-user'], verbs: ['get'] },
    ]);
  });

  test('remember where Ceph is to be asked', () => {
    const deployment = deploymentOf(render({ cephNamespaces: ['rook'], cephRights: [] }));
    const text = deployment?.metadata.annotations?.['rook-deps.io/install-options'];
    expect(text).toBe('{"cephNamespaces":["rook"]}');
  });

  test('follow the choice of image and replicas, and remember it', () => {
    const deployment = deploymentOf(render({ image: 'example.org/node:24', replicas: 3 }));
    expect(fieldAt(deployment, 'spec', 'replicas')).toBe(3);
    const [container] = listAt(deployment, 'spec', 'template', 'spec', 'containers');
    expect(textAt(container, 'image')).toBe('example.org/node:24');
    expect(deployment?.metadata.annotations?.['rook-deps.io/install-options']).toBe(
      '{"replicas":3,"image":"example.org/node:24"}',
    );
  });

  test('leave no moment without a controller during a roll-out', () => {
    expect(fieldAt(deploymentOf(render()), 'spec', 'strategy', 'rollingUpdate')).toEqual({
      maxUnavailable: 0,
      maxSurge: 1,
    });
  });
});

test('no webhook that goes by a label is asked about what has it from a Service', () => {
  const configuration = render().find(({ kind }) => kind === 'ValidatingWebhookConfiguration');
  const byLabel = listAt(configuration, 'webhooks').filter(
    (webhook) => fieldAt(webhook, 'objectSelector', 'matchLabels') !== undefined,
  );
  expect(byLabel.map((webhook) => textAt(webhook, 'name'))).toEqual([
    'in-use.rook-deps.io',
    'critical.rook-deps.io',
  ]);
  for (const webhook of byLabel)
    expect(JSON.stringify(listAt(webhook, 'matchConditions'))).toContain('discovery.k8s.io/endpointslices');
});

describe('the rights of the controller', () => {
  const rulesOf = (objects: readonly KubeObject[]): readonly unknown[] =>
    objects
      .filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role')
      .flatMap((role) => listAt(role, 'rules'));

  test('have no wildcard', () => {
    expect(JSON.stringify(rulesOf(render({ grants: ['deployments.apps'] })))).not.toContain('*');
  });

  test('bind to roles of ours only', () => {
    const bound = render().flatMap((object) => textAt(object, 'roleRef', 'name') ?? []);
    expect(new Set(bound)).toEqual(new Set(['rook-deps-controller', 'rook-deps-controller-granted']));
  });

  test('cover all kinds of Rook', () => {
    const rule = rulesOf(render()).find((candidate) => listAt(candidate, 'apiGroups')[0] === 'ceph.rook.io');
    expect(new Set(listAt(rule, 'resources'))).toEqual(new Set(ROOK_KINDS.map(({ plural }) => plural)));
    expect(listAt(rule, 'verbs')).toEqual(['get', 'list', 'watch', 'patch', 'delete']);
  });

  test('grow by exactly what is granted', () => {
    const before = rulesOf(render()).length;
    const rules = rulesOf(render({ grants: ['deployments.apps', 'services', 'deployments.apps'] }));
    expect(rules).toHaveLength(before + 2);
    const verbs = ['get', 'list', 'watch', 'patch', 'delete'];
    expect(rules).toContainEqual({ apiGroups: ['apps'], resources: ['deployments'], verbs });
    expect(rules).toContainEqual({ apiGroups: [''], resources: ['services'], verbs });
  });

  test.for(['*', '*.apps', 'deployments.*', 'a/b', 'Deployments', ''])(
    'are not granted for "%s"',
    (resource) => {
      expect(() => render({ grants: [resource] })).toThrow('must be the name of one resource');
    },
  );
});
