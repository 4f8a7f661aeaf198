export const GARBAGE_COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';
export const NAMESPACE_CONTROLLER = 'system:serviceaccount:kube-system:namespace-controller';

/** These come back by themselves only after minutes, so their deletions are always repeated. */
export function isPatient({ username }: { readonly username: string }): boolean {
  return username === GARBAGE_COLLECTOR || username === NAMESPACE_CONTROLLER;
}

/** Our own, who delete in the garbage collector's place what is left of composites, until they are ended. */
export function isOurs({ username }: { readonly username: string }): boolean {
  return username.startsWith('system:serviceaccount:') && username.endsWith(':rook-deps-controller');
}
