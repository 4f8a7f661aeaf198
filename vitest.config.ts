import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/long-first.ts';

/** They share no API server, as the other files beside them do: each starts one. */
const OF_THEIR_OWN = [
  'cache',
  'check-command',
  'check-installation',
  'install',
  'install-ceph',
  'install-life',
].map((name) => `test/cluster/${name}.test.ts`);

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{cmd,pkg,scripts}/**/*.test.ts'],
          // Modules hold no state, so files may share them: loading them anew for each took two thirds of the time.
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['test/{cluster,e2e}/**/*.test.ts'],
          exclude: OF_THEIR_OWN,
          globalSetup: ['test/cluster/global-setup.ts'],
          // One file at a time: they share one API server, and requests are counted on it.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'controller',
          include: ['test/{controller,package}/**/*.test.ts', ...OF_THEIR_OWN],
          globalSetup: ['test/cluster/global-setup.ts'],
          // Each file has a control plane of its own, and mostly waits.
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'ceph',
          include: ['test/ceph/**/*.test.ts'],
          globalSetup: ['test/ceph/global-setup.ts'],
          // Each file has a Ceph and a control plane of its own, and mostly waits for them.
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'rest',
          include: ['test/rest/**/*.test.ts'],
          // Begins to rest before any test runs, so that the others pass the time.
          globalSetup: ['test/rest/global-setup.ts'],
          sequence: { groupOrder: 4 },
          testTimeout: 900_000,
        },
      },
    ],
  },
});
