/** What the manifests call things; who runs or looks for them uses the same names. */

export const DEFAULT_NAMESPACE = 'rook-deps-system';
export const CONTROLLER_NAME = 'rook-deps-controller';
/** Of the Service, and of the Secret with its certificates. */
export const WEBHOOK_NAME = 'rook-deps-webhook';
export const WEBHOOK_CONFIGURATION = 'rook-deps';
/** Marked: a dry run of its deletion is refused, which shows that the webhook answers. */
export const CANARY_NAME = 'rook-deps-canary';
/** Made by the controllers, to elect the one that writes. */
export const LEASE_NAME = 'rook-deps';
/** The ClusterRole to run programs in pods, and what binds it in the namespaces where Ceph is asked. */
export const CEPH_ROLE = 'rook-deps-ceph';
export const BUNDLE_PREFIX = 'rook-deps-bundle';

/** On all that `install` writes, and on nothing else: this is how `uninstall` finds it. */
export const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'kubectl-rook-deps' } as const;
export const MANAGED_SELECTOR = 'app.kubernetes.io/managed-by=kubectl-rook-deps';
export const GRANT_LABEL = 'rook-deps.io/aggregate-to-controller';

/** On roles that let people write objects of ours. */
export const EDIT_LABEL = 'rbac.authorization.k8s.io/aggregate-to-edit';

/** Labels on objects of others; taken off when we go. */
export const OUR_LABELS = ['rook-deps.io/in-use', 'rook-deps.io/critical', 'rook-deps.io/composite'] as const;
/** Every finalizer of ours begins so. */
export const FINALIZER_PREFIX = 'rook-deps.io/';

export const VERSION_ANNOTATION = 'rook-deps.io/version';
export const BUNDLE_ANNOTATION = 'rook-deps.io/bundle';
/** The flags of the last installation, for the next one to keep. */
export const OPTIONS_ANNOTATION = 'rook-deps.io/install-options';

export const FIELD_MANAGER = 'rook-deps-install';
