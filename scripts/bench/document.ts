const BEGIN = '<!-- measured: begin -->';
const END = '<!-- measured: end -->';

/** The document with everything between its markers replaced. */
export function withMeasured(document: string, measured: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`cannot find "${BEGIN}" and "${END}" in the document`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${measured.trim()}\n\n${document.slice(end)}`;
}
