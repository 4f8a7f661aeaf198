import { describe, expect, test } from 'vitest';
import { fieldAt } from '#pkg/object';
import type { Attempt } from '#pkg/protection';
import {
  CriticalWorld,
  deploymentObject,
  homeObject,
  SERVICE_REF,
  serviceObject,
} from '#test/fakes/critical-world.ts';
import { SIGNAL } from '#test/fakes/usage-world.ts';
import { parseCriticalService } from './critical-service.ts';
import { refusalRecorder } from './record-refusal.ts';

const NOON = Date.parse('2030-01-01T12:00:00Z');

function attempt(username: string, afterMs = 0): Attempt {
  const time = new Date(NOON + afterMs).toISOString();
  return { time, user: { username }, uid: 'u', propagationPolicy: 'Background' };
}

async function refused(world: CriticalWorld, ...attempts: readonly Attempt[]): Promise<unknown> {
  const record = refusalRecorder(world.ports);
  for (const one of attempts) await record([world.service()], deploymentObject(), one, SIGNAL);
  return fieldAt(world.cluster.at(SERVICE_REF), 'status');
}

describe('a refusal', () => {
  test('is noted: who, when, what', async () => {
    expect(await refused(new CriticalWorld(serviceObject()), attempt('ada'))).toEqual({
      lastRefusal: { time: '2030-01-01T12:00:00.000Z', user: 'ada', object: 'Deployment here/server' },
    });
  });

  test('of one who asks again and again is noted once a minute', async () => {
    const world = new CriticalWorld(serviceObject());
    await refused(world, attempt('ada'), attempt('ada', 1_000), attempt('ada', 59_000));
    expect(world.cluster.writes).toHaveLength(1);
    expect(await refused(world, attempt('ada', 60_000))).toMatchObject({
      lastRefusal: { time: '2030-01-01T12:01:00.000Z' },
    });
  });

  test('of several who ask for several things in turn is noted once a minute for each', async () => {
    const world = new CriticalWorld(serviceObject());
    const record = refusalRecorder(world.ports);
    for (let second = 0; second < 120; second++) {
      for (const object of [deploymentObject(), homeObject(), serviceObject()])
        for (const user of ['ada', 'bob'])
          await record([world.service()], object, attempt(user, second * 1_000), SIGNAL);
    }
    expect(world.cluster.writes).toHaveLength(12);
  });

  test('is kept to be carried out only where that is asked for, or by those who come back too late', async () => {
    const patient = attempt('system:serviceaccount:kube-system:namespace-controller');
    const plain = await refused(new CriticalWorld(serviceObject()), attempt('ada'), patient);
    expect(plain).toMatchObject({ attempts: [{ user: patient.user }] });
    const replayed = await refused(
      new CriticalWorld(serviceObject({ replayDeletion: true })),
      attempt('ada'),
      attempt('bob'),
      attempt('ada'),
    );
    expect(replayed).toMatchObject({
      attempts: [{ user: { username: 'ada' } }, { user: { username: 'bob' } }],
    });
  });

  test('is vetoed for a service by another that refused it, too, and does not want it repeated', async () => {
    const OTHER_REF = { ...SERVICE_REF, name: 'other' };
    const other = serviceObject({}, { name: 'other' });
    const world = new CriticalWorld(serviceObject({ replayDeletion: true }), other);
    const services = [SERVICE_REF, OTHER_REF].map((ref) =>
      parseCriticalService(world.cluster.at(ref) ?? other),
    );
    await refusalRecorder(world.ports)(services, deploymentObject(), attempt('ada'), SIGNAL);
    expect(world.service().attempts).toMatchObject([{ user: { username: 'ada' }, vetoed: true }]);
  });

  test('does not undo what was noted since the service was read', async () => {
    const world = new CriticalWorld(serviceObject({ replayDeletion: true }));
    const cached = world.service();
    for (const name of ['ada', 'bob'])
      await refusalRecorder(world.ports)([cached], deploymentObject(), attempt(name), SIGNAL);
    expect(world.service().attempts.map(({ user }) => user.username)).toEqual(['ada', 'bob']);
  });

  test('for the sake of a service that is gone is not noted with another', async () => {
    const world = new CriticalWorld(serviceObject());
    const cached = world.service();
    world.cluster.put(serviceObject({}, { uid: 'second' }));
    await refusalRecorder(world.ports)([cached], deploymentObject(), attempt('ada'), SIGNAL);
    expect(world.service().lastRefusal).toBeUndefined();
  });
});
