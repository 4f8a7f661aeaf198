import { describe, expect, test } from 'vitest';
import { fieldAt, textAt, type KubeObject } from '#pkg/object';
import { eventOf } from './event-object.ts';

const REPORTER = { controller: 'rook-deps.io/usage', instance: 'rook-deps-0' };
const NOW = Date.UTC(2030, 0, 2, 3, 4, 5, 6);

function anEvent(regarding: KubeObject['metadata'], note = 'n'): KubeObject {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: regarding };
  return eventOf({ regarding: object, type: 'Warning', reason: 'R', action: 'A', note }, REPORTER, NOW);
}

describe('eventOf', () => {
  test('an event is in the namespace of its object, and names its UID', () => {
    const event = anEvent({ name: 'x', namespace: 'ns', uid: 'u' });
    expect(event.metadata.namespace).toBe('ns');
    expect(fieldAt(event, 'regarding')).toMatchObject({
      kind: 'ConfigMap',
      name: 'x',
      namespace: 'ns',
      uid: 'u',
    });
    expect(textAt(event, 'eventTime')).toBe('2030-01-02T03:04:05.006000Z');
  });

  test('an event on a cluster-scoped object is in default', () => {
    expect(anEvent({ name: 'x' }).metadata.namespace).toBe('default');
  });

  test('two events on one object at the same time have different names', () => {
    expect(anEvent({ name: 'x' }).metadata.name).not.toBe(anEvent({ name: 'x' }).metadata.name);
  });

  test.for([
    { name: 'system:Node-Reader', stem: 'system-node-reader' },
    { name: '-a.-b', stem: 'a.b' },
    { name: ':', stem: 'event' },
    { name: 'x'.repeat(253), stem: 'x'.repeat(220) },
  ])('$name gives a name that the server accepts', ({ name, stem }) => {
    const made = anEvent({ name }).metadata.name;
    expect(made.slice(0, made.lastIndexOf('.'))).toBe(stem);
    expect(made).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
    expect(made.length).toBeLessThanOrEqual(253);
  });

  test('a long note is cut to 1024 bytes', () => {
    const note = textAt(anEvent({ name: 'x' }, 'ä'.repeat(600)), 'note') ?? '';
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
    expect(note).toMatch(/^ä+…$/);
  });
});
