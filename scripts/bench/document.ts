/** The document with everything between the markers of this name replaced. */
export function withMeasured(document: string, measured: string, name = 'measured'): string {
  const [first, last] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const begin = document.indexOf(first);
  const end = document.indexOf(last);
  if (begin < 0 || end < begin) throw new Error(`cannot find "${first}" and "${last}" in the document`);
  return `${document.slice(0, begin + first.length)}\n\n${measured.trim()}\n\n${document.slice(end)}`;
}
