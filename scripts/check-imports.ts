import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { importRules } from './check/import-rules.ts';

/** Checks that imports point down only. An empty result is a failure too: the tool then understood nothing. */
async function check(): Promise<readonly string[]> {
  const folders = ['cmd', 'pkg', 'scripts', 'test'];
  const { output } = await cruise(folders, {
    validate: true,
    ruleSet: { forbidden: importRules },
    // Types as well: what is only a type today is an import tomorrow.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'types', 'default'],
    },
  });
  const { modules, summary } = output as ICruiseResult;
  const ours = modules.filter(({ source }) => /^(cmd|pkg)\/.*[.]ts$/.test(source));
  const imports = ours.reduce((sum, { dependencies }) => sum + dependencies.length, 0);
  if (imports === 0) return ['no import was understood: is @swc/core installed?'];
  console.log(`${summary.totalCruised} modules, ${imports} imports below cmd and pkg`);
  return summary.violations.map(
    ({ rule, from, to }) => `${from} → ${to}: ${rule.name}. ${commentOf(rule.name)}`,
  );
}

function commentOf(name: string): string {
  return importRules.find((rule) => rule.name === name)?.comment ?? '';
}

const problems = await check();
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
