import { UserError, type ResourceType, type ResourceTypes } from '#pkg/object';

/** What one argument names: an object, or all objects of a type. */
export interface ResourceArg {
  readonly type: ResourceType;
  readonly name?: string;
}

/** Refuses a call that names nothing, before any server is asked. */
export function requireResource(words: readonly string[]): asserts words is readonly [string, ...string[]] {
  if (words.length > 0) return;
  throw new UserError(
    'error: You must specify the type of resource to ask about, such as cephblockpool/NAME.',
  );
}

/** Reads `TYPE NAME…`, `TYPE/NAME…`, `TYPE[,TYPE…]` as kubectl does. */
export function resourceArgs(words: readonly string[], types: ResourceTypes): readonly ResourceArg[] {
  requireResource(words);
  const [first, ...names] = words;
  if (words.some((word) => word.includes('/'))) return words.map((word) => slashed(word, types));
  const chosen = first.split(',').map((word) => resolved(word, types));
  if (names.length === 0) return chosen.map((type) => ({ type }));
  return chosen.flatMap((type) => names.map((name) => ({ type, name })));
}

function slashed(word: string, types: ResourceTypes): ResourceArg {
  const [type = '', name = '', ...rest] = word.split('/');
  if (!word.includes('/')) {
    throw new UserError(
      `error: there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl rook-deps why resource/<resource_name>' instead of 'kubectl rook-deps why resource resource/<resource_name>')`,
    );
  }
  if (rest.length > 0 || !type || !name) {
    throw new UserError(`error: arguments in resource/name form must have a single resource and name`);
  }
  return { type: resolved(type, types), name };
}

function resolved(word: string, types: ResourceTypes): ResourceType {
  const type = types.resolve(word);
  if (!type) throw new UserError(`error: the server doesn't have a resource type "${word}"`);
  return type;
}
