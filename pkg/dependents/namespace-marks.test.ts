import { describe, expect, test } from 'vitest';
import { keyOf, type ObjectKey } from '#pkg/object';
import { Turns } from '#pkg/protection';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { MARKED, namespace, SIGNAL } from '#test/fakes/usage-world.ts';
import { NamespaceMarks } from './namespace-marks.ts';

const NAME = 'rook-ceph';
const REF = { group: '', kind: 'Namespace', name: NAME };

class World {
  isNeeded = false;
  isComplete = true;
  isWantedElsewhere = false;
  readonly cluster: FakeCluster;
  readonly marks: NamespaceMarks;

  constructor(isMarked: boolean) {
    this.cluster = new FakeCluster(() => 0, [namespace(NAME, isMarked ? { labels: MARKED } : {})]);
    this.marks = new NamespaceMarks({
      get: this.cluster.get,
      writer: this.cluster.writer,
      turns: new Turns<ObjectKey>(),
      isMarked: () => this.isMarked,
      isNeeded: () => this.isNeeded,
      isComplete: () => this.isComplete,
      isWantedElsewhere: async () => this.isWantedElsewhere,
    });
  }

  get isMarked(): boolean {
    return this.cluster.at(REF)?.metadata.labels?.['rook-deps.io/in-use'] === 'true';
  }

  async turn(): Promise<boolean> {
    await this.marks.reconcile(NAME, SIGNAL);
    return this.isMarked;
  }
}

describe('the mark of a namespace', () => {
  test('is there while what is in it is needed, and written once', async () => {
    const world = new World(false);
    expect(await world.turn()).toBe(false);
    world.isNeeded = true;
    expect(await world.turn()).toBe(true);
    await world.turn();
    world.isNeeded = false;
    expect(await world.turn()).toBe(false);
    await world.turn();
    expect(world.cluster.writes.map(({ verb }) => verb)).toEqual(['patch', 'patch']);
  });

  test('stays while a usage wants it, and nobody is asked again', async () => {
    const world = new World(true);
    world.isNeeded = true;
    await world.turn();
    world.isNeeded = false;
    world.isWantedElsewhere = true;
    expect(await world.turn()).toBe(true);
    expect(world.marks.isDue(NAME)).toBe(false);
  });

  test('stays while not all is known', async () => {
    const world = new World(true);
    world.isNeeded = true;
    await world.turn();
    world.isNeeded = world.isComplete = false;
    expect(await world.marks.reconcile(NAME, SIGNAL)).toMatchObject({ kind: 'look-again' });
    expect(world.isMarked).toBe(true);
    expect(world.marks.keeps(REF)).toBe(true);
    world.isComplete = true;
    expect(world.marks.keeps(REF)).toBe(false);
    expect(await world.turn()).toBe(false);
  });

  test('that others have put there is theirs', async () => {
    const world = new World(true);
    expect(world.marks.isDue(NAME)).toBe(false);
    expect(await world.turn()).toBe(true);
    expect(world.cluster.calls.map(({ key }) => key)).not.toContain(keyOf(REF));
  });
});
