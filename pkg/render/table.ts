const GAP = '   ';

/** Pads columns as kubectl does: three spaces between them, nothing after the last. Cells are printable text. */
export function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, width(cell));
  }
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell + ' '.repeat((widths[at] ?? 0) - width(cell))))
      .join(GAP)
      .trimEnd(),
  );
}

/** Columns on a terminal. Names in Kubernetes are ASCII; tree lines take one column a character. */
function width(text: string): number {
  // oxlint-disable-next-line no-control-regex -- colours take no room
  return text.replace(/\u001b\[[0-9;]*m/g, '').length;
}
