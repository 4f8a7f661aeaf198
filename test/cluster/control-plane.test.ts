import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fieldAt, ROOK_KINDS, textAt } from '#pkg/object';
import { get, run, startControlPlane } from '../../scripts/controlplane/index.ts';
import { marker, requestsSince } from './audit-log.ts';
import {
  apply,
  controlPlane,
  describeOnCluster,
  freshNamespace,
  kubectl,
  runPlugin,
} from './control-plane.ts';

const signal = AbortSignal.timeout(120_000);

function aPool(namespace: string, name: string, phase: string): object {
  return {
    apiVersion: 'ceph.rook.io/v1',
    kind: 'CephBlockPool',
    metadata: { namespace, name },
    spec: { replicated: { size: 3 } },
    status: { phase },
  };
}

async function stored(namespace: string, type: string, name: string): Promise<unknown> {
  const { stdout } = await kubectl([
    'get',
    '-n',
    namespace,
    type,
    name,
    '--show-managed-fields',
    '-o',
    'json',
  ]);
  return JSON.parse(stdout);
}

describeOnCluster('the shared control plane', () => {
  test('is a Kubernetes v1.36 that kubectl can talk to', async () => {
    const { code, stdout } = await kubectl(['version', '-o', 'json']);
    expect(code).toBe(0);
    const versions: unknown = JSON.parse(stdout);
    expect(textAt(versions, 'serverVersion', 'gitVersion')).toMatch(/^v1\.36\./);
  });

  test("serves Rook's 19 kinds under the names we know", async () => {
    const { stdout } = await kubectl(['api-resources', '--api-group=ceph.rook.io', '--no-headers']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s+/));
    const served = lines.map((words) => `${words[0]} ${words.at(-1)}`).toSorted();
    expect(served).toEqual(ROOK_KINDS.map(({ plural, kind }) => `${plural} ${kind}`).toSorted());
    expect(served).toHaveLength(19);
  });

  test.for([
    'csi.ceph.io/v1',
    'objectbucket.io/v1alpha1',
    'objectstorage.k8s.io/v1alpha1',
    'snapshot.storage.k8s.io/v1',
  ])('serves %s', async (groupVersion) => {
    expect((await get(controlPlane(), `/apis/${groupVersion}`, 'test', signal)).status).toBe(200);
  });
});

describeOnCluster('apply', () => {
  test('writes the status of a custom resource', async () => {
    const namespace = await freshNamespace('apply');
    const [returned] = await apply([aPool(namespace, 'p', 'Ready')]);
    const pool = await stored(namespace, 'cephblockpool', 'p');
    expect(fieldAt(pool, 'status')).toEqual({ phase: 'Ready' });
    expect(fieldAt(pool, 'spec', 'replicated', 'size')).toBe(3);
    expect(returned).toEqual(pool);
  });

  test('changes spec and status when applied again', async () => {
    const namespace = await freshNamespace('apply');
    await apply([aPool(namespace, 'p', 'Progressing')]);
    await apply([aPool(namespace, 'p', 'Ready')]);
    expect(fieldAt(await stored(namespace, 'cephblockpool', 'p'), 'status')).toEqual({ phase: 'Ready' });
  });

  test('writes a kind that has no status subresource', async () => {
    const namespace = await freshNamespace('apply');
    const meta = {
      apiVersion: 'ceph.rook.io/v1',
      kind: 'CephCOSIDriver',
      metadata: { namespace, name: 'd' },
    };
    await apply([{ ...meta, spec: { deploymentStrategy: 'Auto' } }]);
    const driver = await stored(namespace, 'cephcosidriver', 'd');
    expect(fieldAt(driver, 'spec', 'deploymentStrategy')).toBe('Auto');
  });

  test('writes the status of built-in kinds, and pods without a service account controller', async () => {
    const namespace = await freshNamespace('apply');
    const containers = [{ name: 'c', image: 'i' }];
    const metadata = { namespace, name: 'x' };
    const resources = { requests: { storage: '1Gi' } };
    const objects = [
      { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers }, status: { phase: 'Running' } },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata,
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources },
        status: { phase: 'Bound' },
      },
    ];
    const [pod, claim] = await apply(objects);
    expect(fieldAt(pod, 'status', 'phase')).toBe('Running');
    expect(fieldAt(claim, 'status', 'phase')).toBe('Bound');
  });

  test('returns each object with its UID, for owner references of the next', async () => {
    const namespace = await freshNamespace('apply');
    const [owner] = await apply([aPool(namespace, 'owner', 'Ready')]);
    const { apiVersion, kind, metadata } = owner ?? expect.fail('nothing is returned');
    const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid };
    const dependent = { namespace, name: 'dependent', ownerReferences: [reference] };
    const [applied] = await apply([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: dependent }]);
    expect(applied?.metadata.ownerReferences).toEqual([reference]);
  });

  test('fails with the reason of the API server', async () => {
    const namespace = await freshNamespace('apply');
    const misspelt = { ...aPool(namespace, 'p', 'Ready'), spec: { replicatd: { size: 3 } } };
    await expect(apply([misspelt])).rejects.toThrow('replicatd');
    const broken = {
      apiVersion: 'ceph.rook.io/v1',
      kind: 'CephBlockPool',
      metadata: { namespace, name: 'UPPER' },
    };
    await expect(apply([broken])).rejects.toThrow('UPPER');
  });
});

describeOnCluster('the audit log', () => {
  test('holds each request once, with its client, as soon as it is answered', async () => {
    const { kubectl: file, kubeconfig } = controlPlane();
    const before = await marker();
    await get(controlPlane(), '/api/v1/namespaces?limit=1', 'counted/1', signal);
    await get(controlPlane(), '/api/v1/namespaces/none', 'counted/1', signal);
    await get(controlPlane(), '/api/v1/nodes', 'other/1', signal);
    const counted = await requestsSince(before, 'counted/');
    expect(counted).toEqual([
      { verb: 'list', uri: '/api/v1/namespaces?limit=1', code: 200, userAgent: 'counted/1', user: 'admin' },
      { verb: 'get', uri: '/api/v1/namespaces/none', code: 404, userAgent: 'counted/1', user: 'admin' },
    ]);
    await run(file, ['--kubeconfig', kubeconfig, 'get', '--raw', '/version'], {}, signal);
    expect(await requestsSince(before, 'kubectl/')).toHaveLength(1);
  });

  test('is silent about what came before the marker', async () => {
    await get(controlPlane(), '/api/v1/nodes', 'early/1', signal);
    expect(await requestsSince(await marker(), 'early/')).toEqual([]);
  });
});

describeOnCluster('the built plugin', () => {
  test('is what kubectl runs for "kubectl rook-deps"', async () => {
    const direct = await runPlugin(['--help']);
    expect(direct).toMatchObject({ code: 0, stderr: '' });
    expect(await kubectl(['rook-deps', '--help'])).toEqual(direct);
  });
});

describeOnCluster('a control plane of its own', () => {
  test('collects garbage with the controller manager, and leaves nothing behind', async () => {
    const plane = await startControlPlane({ controllerManager: true, audit: false }, signal);
    try {
      const owner = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'gone',
        uid: '0b8f6c1e-0000-4000-8000-000000000000',
      };
      const metadata = { namespace: 'default', name: 'orphan', ownerReferences: [owner] };
      const orphan = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
      const flags = ['--kubeconfig', plane.kubeconfig];
      await run(plane.binaries.kubectl, [...flags, 'create', '-f', '-'], { stdin: orphan }, signal);
      const wait = ['wait', '--for=delete', 'configmap/orphan', '--timeout=60s'];
      expect(await run(plane.binaries.kubectl, [...flags, ...wait], {}, signal)).toMatchObject({ code: 0 });
    } finally {
      await plane.stop();
    }
    expect(existsSync(plane.folder)).toBe(false);
    await expect(get(plane, '/readyz', 'test', signal)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
