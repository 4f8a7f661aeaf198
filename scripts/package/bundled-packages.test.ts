import { expect, test } from 'vitest';
import { bundledFolders } from './bundled-packages.ts';

test('packages count when a byte of them is in the bundle, nested ones by themselves', () => {
  const inputs = {
    'node_modules/yaml/index.js': { bytesInOutput: 5 },
    'node_modules/yaml/more.js': { bytesInOutput: 5 },
    'node_modules/unused/index.js': { bytesInOutput: 0 },
    'node_modules/@peculiar/x509/a.js': { bytesInOutput: 1 },
    'node_modules/tsyringe/node_modules/tslib/tslib.js': { bytesInOutput: 1 },
    'cmd/kubectl-rook_deps/main.ts': { bytesInOutput: 9 },
  };
  expect(bundledFolders({ outputs: { 'dist/x.cjs': { inputs } } })).toEqual([
    'node_modules/@peculiar/x509',
    'node_modules/tsyringe/node_modules/tslib',
    'node_modules/yaml',
  ]);
});
