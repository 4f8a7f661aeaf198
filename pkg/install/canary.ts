import type { Deletion, DeletionGuard, Objection } from '#pkg/admission';
import { CANARY_NAME } from './names.ts';

/** What the webhook says of the canary; nobody else would. */
export const CANARY_ANSWER = 'rook-deps answers: this is the canary, by whose dry runs it is known';

/**
 * Refuses the canary to whoever only tries to delete it. That it was refused, and with these words, shows that the webhook
 * was asked and has answered; if it were allowed, nobody could tell. Who means it may delete it: namespaces are.
 */
export function canaryGuard(namespace: string): DeletionGuard {
  const objection: Objection = {
    lines: [CANARY_ANSWER],
    causes: [{ reason: 'Canary', message: CANARY_ANSWER }],
  };
  const ofCanary = async ({ object, request }: Deletion): Promise<Objection | undefined> => {
    const { name, namespace: where } = object.metadata;
    const isCanary = object.kind === 'ConfigMap' && name === CANARY_NAME && where === namespace;
    return isCanary && request.dryRun ? objection : undefined;
  };
  return { glance: ofCanary, look: ofCanary };
}
