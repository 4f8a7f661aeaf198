import { isTrueAt } from './fields.ts';
import type { Writer } from './writer.ts';

/** What somebody would do, as the server asks about it. */
export interface AccessAttributes {
  readonly verb: string;
  readonly group?: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Whether the pods of a ServiceAccount may do something. Throws where the caller may not ask. */
export async function mayAccount(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  resourceAttributes: AccessAttributes,
  writer: Pick<Writer, 'createReview'>,
  signal: AbortSignal,
): Promise<boolean> {
  const accounts = 'system:serviceaccounts';
  const spec = {
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: [accounts, `${accounts}:${namespace}`, 'system:authenticated'],
    resourceAttributes,
  };
  const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  return isTrueAt(await writer.createReview(review, signal), 'status', 'allowed');
}
