import { spawnSync } from 'node:child_process';

/** Each with what it finds out. All run, so that one call shows all there is to mend. */
const CHECKS = [
  { name: 'format', command: 'prettier --check --log-level warn .' },
  { name: 'types', command: 'tsc -p .' },
  { name: 'lint', command: 'oxlint --type-aware --deny-warnings .' },
  { name: 'imports', command: 'node scripts/check-imports.ts' },
  { name: 'unused code', command: 'knip --no-progress' },
  { name: 'unit tests', command: 'vitest run --project unit' },
];

const failed = CHECKS.filter(({ name, command }) => {
  console.log(`== ${name}: ${command}`);
  // A shell, because the tools are found as .cmd files on Windows.
  const { status } = spawnSync(command, { shell: true, stdio: 'inherit' });
  return status !== 0;
});

for (const { name, command } of failed) console.error(`failed: ${name} (${command})`);
if (failed.length === 0) console.log(`all ${CHECKS.length} checks passed`);
process.exitCode = failed.length === 0 ? 0 : 1;
