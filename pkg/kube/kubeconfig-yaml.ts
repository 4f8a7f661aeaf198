import { parseAllDocuments, type ScalarTag, type YAMLError } from 'yaml';
import { UserError } from '#pkg/object';

/** kubectl still reads YAML 1.1: an unquoted `yes` is a truth, also where a name is expected. */
const oldBool: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test: /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/,
  resolve: (text) => /^(?:y|on)/i.test(text),
};

/** The first document of a kubeconfig, under the looser rules that kubectl reads YAML with. */
export function parseYaml(content: string): unknown {
  const documents = parseAllDocuments(content, {
    merge: true,
    uniqueKeys: false,
    logLevel: 'silent',
    customTags: (tags) => [oldBool, ...tags],
  });
  const [document] = Array.isArray(documents) ? documents : [];
  if (!document) return undefined;
  if (document.errors.length > 0) throw new UserError(yamlFailure(document.errors));
  try {
    return document.toJS({ maxAliasCount: 1000 });
  } catch (failure) {
    throw new UserError(`yaml: ${failure instanceof Error ? failure.message : String(failure)}`, {
      cause: failure,
    });
  }
}

function yamlFailure(errors: readonly YAMLError[]): string {
  // A key that stands too deep gives several errors; this one ends at its colon, where kubectl notices it.
  const error = errors.find(({ code }) => code === 'MULTILINE_IMPLICIT_KEY') ?? errors[0];
  if (!error) return 'yaml: unknown problem';
  const [start = { line: 1 }, end = start] = error.linePos ?? [];
  const line = (number: number, words: string): string => `yaml: line ${Math.max(number, 1)}: ${words}`;
  const { code, message } = error;
  // The faults people make in a kubeconfig, counted as kubectl counts; anything rarer keeps the parser's own words.
  if (code === 'MULTILINE_IMPLICIT_KEY' || code === 'BLOCK_AS_IMPLICIT_KEY') {
    return line(end.line, 'mapping values are not allowed in this context');
  }
  if (code === 'TAB_AS_INDENT') return line(start.line, 'found character that cannot start any token');
  if (/closing .*quote/.test(message)) return line(start.line, 'found unexpected end of stream');
  if (/need to be followed by map values/.test(message))
    return line(start.line + 1, "could not find expected ':'");
  if (/^Flow map .* end with/.test(message)) return line(start.line - 1, "did not find expected ',' or '}'");
  if (/^Flow sequence .* end with/.test(message))
    return line(start.line - 1, "did not find expected ',' or ']'");
  return line(start.line, withoutExcerpt(message));
}

/** The parser appends a position and an excerpt, which may hold a secret. */
function withoutExcerpt(message: string): string {
  return message.replace(/ at line \d+, column \d+[\s\S]*$/, '').replace(/\n[\s\S]*$/, '');
}
