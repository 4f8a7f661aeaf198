/**
 * The JSON values of a text that holds nothing else: one, or several in a row as repeated `kubectl get -o json`
 * writes them. Undefined when it is not JSON, or not whole.
 */
export function jsonValues(text: string): readonly unknown[] | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    // Several values in a row, or YAML that begins like JSON.
  }
  try {
    return [...valueTexts(text)].map((value) => JSON.parse(value) as unknown);
  } catch {
    return undefined;
  }
}

/** Cuts where a bracket closes what was opened first. The rest comes as it is, to fail as JSON if it is anything. */
function* valueTexts(text: string): Iterable<string> {
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/gs)) {
    if (token === '{' || token === '[') depth++;
    if (token !== '}' && token !== ']') continue;
    depth--;
    if (depth > 0) continue;
    yield text.slice(start, index + 1);
    start = index + 1;
  }
  const rest = text.slice(start);
  if (rest.trim() !== '') yield rest;
}
