import type { GroupKind, ResourceType } from '#pkg/object';
import { isAnswer } from './api-error.ts';
import type { Transport } from './transport.ts';
import { isNotServed } from './type-source.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/**
 * Why a kind that discovery does not name may have objects; undefined when it is not defined. Discovery follows definitions
 * with a delay: while a kind changes its version, it is named in none.
 */
export async function whyDefined(
  transport: Transport,
  { plural, group }: ResourceType,
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = `${plural}.${group}`;
  try {
    await transport.getJson(`${DEFINITIONS}/${name}`, {}, signal);
    return `${name} is defined, and not served at present`;
  } catch (error) {
    if (!isAnswer(error)) throw error;
    return error.status === 404 && !isNotServed(error)
      ? undefined
      : `cannot read the definition: ${error.message}`;
  }
}

/** A kind whose name among definitions is known. */
export function isWholeType(kind: GroupKind): kind is ResourceType {
  return 'plural' in kind;
}
