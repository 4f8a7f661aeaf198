/** The request of an AdmissionReview as the API server sends it for the deletion of a ConfigMap. */
export function aRequest(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    uid: 'review-1',
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
    name: 'settings',
    namespace: 'shop',
    operation: 'DELETE',
    userInfo: {
      username: 'alice',
      uid: 'u1',
      groups: ['dev', 'system:authenticated'],
      extra: { scope: ['a'] },
    },
    object: null,
    oldObject: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: 'shop', uid: 'o1' },
    },
    dryRun: false,
    options: { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions', propagationPolicy: 'Background' },
    ...changes,
  };
}

export function aReview(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: aRequest(changes) };
}
