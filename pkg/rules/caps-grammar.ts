/** One thing that a grant is limited to: `pool=a`, `pool a`, `data=fs`. */
export interface Setting {
  readonly key: string;
  readonly value: string;
  /** As it was written. */
  readonly detail: string;
}

const WORD = /"[^"]*"|'[^']*'|[=,;]|[^\s="',;]+/g;
const SEPARATORS = [',', ';'];
/** The words that take the next one as their value, with or without an equals sign. */
const VALUED = ['pool', 'namespace', 'object_prefix', 'tag', 'profile', 'fsname', 'path', 'network'];

/** Capabilities as Ceph reads them: grants between commas or semicolons, each a list of words and equals signs. */
export function grantsOf(caps: string): readonly (readonly string[])[] {
  const grants: string[][] = [[]];
  for (const [word] of caps.matchAll(WORD)) {
    if (SEPARATORS.includes(word)) grants.push([]);
    else grants.at(-1)?.push(word);
  }
  return grants;
}

/** The settings of a grant; its other words are what is allowed. */
export function* settingsOf(grant: readonly string[]): Iterable<Setting> {
  for (let at = 0; at < grant.length; at++) {
    const key = grant[at] ?? '';
    const hasEquals = grant[at + 1] === '=';
    if (!hasEquals && !VALUED.includes(key)) continue;
    at += hasEquals ? 2 : 1;
    const written = grant[at];
    if (written === undefined || written === '=') continue;
    yield { key, value: unquoted(written), detail: `${key}${hasEquals ? '=' : ' '}${written}` };
  }
}

function unquoted(word: string): string {
  return /^["']/.test(word) ? word.slice(1, -1) : word;
}
