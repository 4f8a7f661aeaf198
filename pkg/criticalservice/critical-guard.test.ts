import { describe, expect, test } from 'vitest';
import { deletionHandler, type Answer } from '#pkg/admission';
import type { KubeObject } from '#pkg/object';
import {
  CriticalWorld,
  deploymentObject,
  homeObject,
  KEYS,
  poolObject,
  POOLS,
  PROVIDER_REF,
  SERVICE_REF,
  serviceObject,
} from '#test/fakes/critical-world.ts';
import { Refusal } from '#test/fakes/fake-cluster.ts';
import { deletionOf, SIGNAL } from '#test/fakes/usage-world.ts';
import { criticalGuard } from './critical-guard.ts';
import type { CriticalService, Criterion } from './critical-service.ts';

const POOL_REF = { group: 'ceph.rook.io', kind: 'CephBlockPool', namespace: 'there', name: 'pool' };
const RESOURCES: Readonly<Record<string, string>> = {
  Deployment: 'deployments',
  Namespace: 'namespaces',
  CriticalService: 'criticalservices',
};

/** A guard whose cache knows nothing, or what the test tells it. */
function guardOf(
  world: CriticalWorld,
  cached: readonly CriticalService[] = [],
  cachedStanding?: CriticalWorld['ports']['standing'],
) {
  const { ports } = world;
  const noted: string[] = [];
  const guard = criticalGuard({
    ...ports,
    cache: {
      services: () => cached,
      provider: () => (cached.length > 0 ? PROVIDER_REF : undefined),
      standing: cachedStanding ?? ports.standing,
    },
    recordRefusal: async (services, object) => {
      for (const { ref } of services) noted.push(`${ref.name}: ${object.kind}`);
    },
    now: world.clock.now,
  });
  const handler = deletionHandler([guard], {
    mayForce: async () => false,
    record: async () => undefined,
    notNoted: (error) => {
      throw error;
    },
  });
  const ask = (object: KubeObject): Promise<Answer> => {
    const [group = ''] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : [''];
    const resource = { group, version: 'v1', resource: RESOURCES[object.kind] ?? '' };
    return Promise.resolve(handler(deletionOf(object, { resource }), SIGNAL));
  };
  return { ask, noted };
}

async function verdict(answer: Promise<Answer>): Promise<string> {
  const given = await answer;
  const text = 'message' in given ? [given.message].flat().join('\n') : '';
  return text ? `${given.kind}: ${text}` : given.kind;
}

describe('the deletion', () => {
  test.for(['gadgetries', 'Gadget'])(
    'of the provider is refused while %s are defined, and not served',
    async (resource) => {
      const definition: KubeObject = {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'gadgetries.a.example' },
        spec: { group: 'a.example', names: { plural: 'gadgetries', kind: 'Gadget' } },
      };
      const criteria = [
        { type: 'Finalizer', finalizer: { group: 'a.example', resource, finalizerName: 'f' } },
      ];
      const service = serviceObject({ criteria });
      const defined = guardOf(new CriticalWorld(deploymentObject(), service, definition));
      expect(await verdict(defined.ask(deploymentObject()))).toContain(
        'it is defined, and not served at present',
      );
      const without = guardOf(new CriticalWorld(deploymentObject(), service));
      expect(await verdict(without.ask(deploymentObject()))).toBe('allow');
    },
  );

  test('of the definition of services is refused while there is one that is not released', async () => {
    const definition: KubeObject = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'criticalservices.rook-deps.io' },
    };
    const world = new CriticalWorld(serviceObject());
    const { ask, noted } = guardOf(world);
    expect(await verdict(ask(definition))).toMatch(/^conflict: [^]*- CriticalService service/);
    expect(noted).toEqual([]);
    world.cluster.put({ ...serviceObject(), status: { released: true } });
    expect(await verdict(ask(definition))).toBe('allow');
  });

  test.each([
    ['of the provider', deploymentObject()],
    ['of its namespace', homeObject()],
  ])('%s is refused until the criteria are met', async (_title, object) => {
    const world = new CriticalWorld(deploymentObject(), poolObject(), serviceObject());
    const { ask, noted } = guardOf(world);
    const refused = await verdict(ask(object));
    expect(refused).toMatch(/^conflict: .*critical.*CriticalService "service"/);
    expect(refused).toContain('- 1 cephblockpools.ceph.rook.io with finalizer f: pool');
    expect(noted).toEqual([`service: ${object.kind}`]);
    world.cluster.drop({ group: 'ceph.rook.io', kind: 'CephBlockPool', namespace: 'there', name: 'pool' });
    expect(await verdict(ask(object))).toBe('allow');
  });

  test('of the provider is refused at a glance, and allowed only after a look', async () => {
    const world = new CriticalWorld(deploymentObject(), poolObject(), serviceObject());
    const cached = guardOf(world, [world.service()]);
    world.cluster.calls.length = 0;
    expect(await verdict(cached.ask(deploymentObject()))).toMatch(/^conflict/);
    expect(world.cluster.calls.map(({ verb, key }) => `${verb} ${key}`)).toEqual([
      `get ${KEYS.service}`,
      'get ceph.rook.io/CephBlockPool/there/pool',
    ]);
    expect(await verdict(guardOf(world).ask(deploymentObject()))).toMatch(/^conflict/);
  });

  test.for([
    {
      name: 'what was in the way is gone',
      happens: ({ cluster }: CriticalWorld) => cluster.drop(POOL_REF),
      of: deploymentObject(),
    },
    {
      name: 'what was in the way has lost the finalizer',
      happens: ({ cluster }: CriticalWorld) => cluster.put(poolObject('pool', [])),
      of: deploymentObject(),
    },
    {
      name: 'the service is gone',
      happens: ({ cluster }: CriticalWorld) => cluster.drop(SERVICE_REF),
      of: deploymentObject(),
    },
    {
      name: 'the service is released',
      happens: ({ cluster }: CriticalWorld) => cluster.put(serviceObject({}, {}, { released: true })),
      of: deploymentObject(),
    },
    {
      name: 'the provider is gone',
      happens: ({ cluster }: CriticalWorld) => cluster.drop(PROVIDER_REF),
      of: homeObject(),
    },
    {
      name: 'the provider is gone',
      happens: ({ cluster }: CriticalWorld) => cluster.drop(PROVIDER_REF),
      of: serviceObject(),
    },
  ])('of a $of.kind passes when $name, though the cache is late', async ({ happens, of }) => {
    const world = new CriticalWorld(deploymentObject(), poolObject(), serviceObject());
    const known = world.ports.standing(world.service().criteria[0] as Criterion);
    const late = guardOf(world, [world.service()], () => known);
    expect(await verdict(late.ask(of))).toMatch(/^conflict/);
    happens(world);
    expect(await verdict(late.ask(of))).toBe('allow');
  });

  test('of others passes', async () => {
    const world = new CriticalWorld(deploymentObject(), poolObject(), serviceObject());
    const { ask } = guardOf(world);
    for (const metadata of [{ name: 'other' }, { namespace: 'elsewhere' }])
      expect(await verdict(ask(deploymentObject(metadata)))).toBe('allow');
    expect(await verdict(ask(homeObject({ name: 'there' })))).toBe('allow');
    expect(await verdict(ask({ ...deploymentObject(), apiVersion: 'v1' }))).toBe('allow');
  });

  test('of a namespace without the provider passes', async () => {
    const world = new CriticalWorld(poolObject(), serviceObject());
    expect(await verdict(guardOf(world).ask(homeObject()))).toBe('allow');
  });

  test('passes once the service is released', async () => {
    const world = new CriticalWorld(
      deploymentObject(),
      poolObject(),
      serviceObject({}, {}, { released: true }),
    );
    expect(await verdict(guardOf(world).ask(deploymentObject()))).toBe('allow');
  });

  test('of the service is refused while its provider is there, also while that is being deleted', async () => {
    const going = { deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: ['x'] };
    for (const metadata of [{}, going]) {
      const world = new CriticalWorld(deploymentObject(metadata), serviceObject());
      expect(await verdict(guardOf(world).ask(serviceObject()))).toContain(
        '- deployments.apps here/server ' +
          (metadata === going ? 'is being deleted, and still exists' : 'still exists'),
      );
    }
    expect(await verdict(guardOf(new CriticalWorld(serviceObject())).ask(serviceObject()))).toBe('allow');
  });
});

describe('what cannot be checked', () => {
  const spec = (deletionPolicy: string): object => ({
    deletionPolicy,
    criteria: [
      POOLS,
      { type: 'SpecificResource', specificResource: { resource: 'secrets', namespace: 'n', name: 's' } },
    ],
  });

  function blind(deletionPolicy: string, ...objects: readonly KubeObject[]): CriticalWorld {
    const world = new CriticalWorld(deploymentObject(), serviceObject(spec(deletionPolicy)), ...objects);
    world.cluster.before = ({ key }) => {
      if (key === '/Secret/n/s') throw new Refusal(403, 'Forbidden', 'secrets "s" is forbidden');
    };
    return world;
  }

  test('is a doubt, and a doubt is a no', async () => {
    const answer = await verdict(guardOf(blind('Strict')).ask(deploymentObject()));
    expect(answer).toMatch(/^unavailable/);
    expect(answer).toContain('(grant it: kubectl rook-deps install --grant secrets)');
  });

  test('does not hide what is known', async () => {
    const answer = await verdict(guardOf(blind('Strict', poolObject())).ask(deploymentObject()));
    expect(answer).toMatch(/^conflict/);
    expect(answer).toContain('1 cephblockpools');
  });

  test('holds nothing with BestEffort', async () => {
    expect(await verdict(guardOf(blind('BestEffort')).ask(deploymentObject()))).toBe('allow');
  });
});

describe('with BestEffort, the service', () => {
  const spec = { deletionPolicy: 'BestEffort' };

  test('stays while its criteria are not met', async () => {
    const world = new CriticalWorld(deploymentObject(), poolObject(), serviceObject(spec));
    expect(await verdict(guardOf(world).ask(serviceObject(spec)))).toContain('and its criteria are not met');
  });

  test('goes when the provider that it has seen is gone, though another has taken its name', async () => {
    const status = { provider: { uid: 'first' } };
    const world = new CriticalWorld(deploymentObject(), poolObject(), serviceObject(spec, {}, status));
    expect(await verdict(guardOf(world).ask(world.cluster.at(SERVICE_REF) as KubeObject))).toBe('allow');
  });
});
