import { numberAt, textAt, type KubeObject, type Writer } from '#pkg/object';

/**
 * What the webhook lacks until it answers, or undefined. Asked with a dry run, so nothing is stored; a refusal is an
 * answer too. Nothing else shows it before there is anything protected: deletions of other objects do not go there.
 */
export async function webhookLack(
  writer: Pick<Writer, 'create'>,
  namespace: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await writer.create(probe(namespace), { dryRun: true }, signal);
    return undefined;
  } catch (error) {
    const status = numberAt(error, 'status');
    if (!(error instanceof Error) || status === undefined) throw error;
    const text = textAt(error, 'serverMessage') ?? error.message;
    return /^admission webhook ".*" denied the request/.test(text) ? undefined : text;
  }
}

function probe(namespace: string): KubeObject {
  const of = { apiVersion: 'v1', kind: 'Namespace', resourceRef: { name: namespace } };
  return {
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'ClusterUsage',
    metadata: { name: 'rook-deps-probe' },
    spec: { of, reason: 'does the webhook answer?' },
  };
}
