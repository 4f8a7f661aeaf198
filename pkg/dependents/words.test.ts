import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Finding } from './finding.ts';
import { blockedMessage, denialLines, unknownMessage } from './words.ts';

function of(kinds: Readonly<Record<string, number>>, named = 500): Finding {
  const blockers = Object.entries(kinds).flatMap(([kind, count]) =>
    Array.from({ length: Math.min(count, named) }, (_, at) => ({
      group: '',
      kind,
      name: `name-${String(at).padStart(5, '0')}`,
      code: 'RD001',
    })),
  );
  return { blockers, counts: kinds, gaps: [] };
}

describe('the message of a block', () => {
  test('W13: fits, and counts what it does not name', () => {
    const counts = fc.record({ A: fc.integer({ min: 1, max: 900 }), B: fc.integer({ min: 1, max: 900 }) });
    fc.assert(
      fc.property(counts, (kinds) => {
        const message = blockedMessage(of(kinds), 1024);
        expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
        for (const [kind, count] of Object.entries(kinds)) {
          const inside = new RegExp(`${kind}s: \\[([^\\]]*)\\]`).exec(message)?.[1]?.split(' ') ?? [];
          const more = inside.at(-1) === 'more' ? Number(inside.at(-2)) : 0;
          expect(inside.filter((name) => name.startsWith('name-')).length + more).toBe(count);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('names kinds in the plural', () => {
    expect(blockedMessage(of({ CephNFS: 1, CephClient: 1 }), 1024)).toMatch(
      /CephClients: \[name-00000\], CephNFSes: \[name-00000\]$/,
    );
  });
});

test('the message of a doubt fits, and counts what it does not name', () => {
  const gaps = Array.from({ length: 100 }, (_, at) => ({
    what: `Bucket b${at}`,
    reason: 'no answer'.repeat(3),
  }));
  const message = unknownMessage(gaps, 1024);
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
  expect(message).toMatch(/could be looked at: Bucket b0 \(.*; \+\d+ more$/);
  expect(unknownMessage(gaps.slice(0, 2), 1024)).not.toContain('more');
});

describe('the words of a refusal', () => {
  test('name twenty of ten thousand, and the number of the rest', () => {
    const lines = denialLines(
      { group: '', kind: 'K', name: 'n' },
      of({ PersistentVolume: 10_000, CephNFS: 1 }),
    );
    expect(lines[0]).toBe('K "n" is needed by 1 CephNFS and 10000 PersistentVolumes:');
    expect(lines).toHaveLength(22);
    expect(lines.at(-1)).toBe('- +9981 more');
  });
});
