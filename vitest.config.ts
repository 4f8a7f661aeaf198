import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
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
          include: ['test/{cluster,controller,e2e}/**/*.test.ts'],
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
          name: 'ceph',
          include: ['test/ceph/**/*.test.ts'],
          globalSetup: ['test/ceph/global-setup.ts'],
          // One file at a time: a cluster of Ceph and a control plane fill two cores.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
