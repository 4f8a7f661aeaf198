import { fieldAt, listAt, textAt } from '#pkg/object';

/** Distinct dependents in a report of `why -o json`. */
export function listedInReport(stdout: string): number {
  const report: unknown = JSON.parse(stdout);
  const objects = [...listAt(report, 'causes'), ...listAt(report, 'related')].map((cause) =>
    fieldAt(cause, 'object'),
  );
  return new Set(objects.map(nameOf)).size;
}

function nameOf(object: unknown): string {
  return ['apiVersion', 'kind', 'namespace', 'name'].map((field) => textAt(object, field) ?? '').join('/');
}

/** Dependents in `tree -o name`: each object comes once, the root first. */
export function listedInTree(stdout: string): number {
  return Math.max(0, linesOf(stdout).length - 1);
}

/** Distinct dependents in a table with a tree in its column NAME, the root first. Anything else lists none. */
export function listedInTable(stdout: string): number {
  const [header = '', ...rows] = linesOf(stdout);
  const column = header.indexOf('NAME ');
  if (column < 0) return 0;
  const names = rows.map((row) => {
    const namespace = row.slice(0, column).trim();
    const name = row.slice(column).replace(/^[\s│├└─]+/, '');
    return `${namespace} ${name.split(' ')[0]}`;
  });
  return Math.max(0, new Set(names).size - 1);
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}
