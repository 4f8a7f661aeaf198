/**
 * The plugin installs itself: the manifests as data, applied, upgraded and removed in order.
 *
 * Words: the *bundle* is this very program, gzipped, in a ConfigMap named by its content. A *grant* lets the controller
 * protect one more kind. *Traces* are what we leave on objects of others: labels and finalizers. A *survey* finds all
 * that is ours.
 */
export { CANARY_ANSWER, canaryGuard } from './canary.ts';
export { bundleOf, CONFIG_MAP_BYTES, type Bundle } from './bundle.ts';
export { cephBinding, isCephBinding } from './ceph-binding.ts';
export { findCephRights } from './ceph-rights.ts';
export { nameOf, type Change } from './change.ts';
export { withoutSecrets } from './confidential.ts';
export { install, type InstallPorts, type InstallRequest } from './install.ts';
export { grant, grantName } from './grant.ts';
export { findInstalled, requireInstalled, type Installed } from './installed.ts';
export { loadManifests } from './manifests.ts';
export {
  CANARY_NAME,
  CONTROLLER_NAME,
  DEFAULT_NAMESPACE,
  LEASE_NAME,
  WEBHOOK_CONFIGURATION,
  WEBHOOK_NAME,
} from './names.ts';
export { ownBundle } from './own-bundle.ts';
export { renderManifests, type ChosenOptions, type InstallOptions } from './render.ts';
export { refusal, survey, unfinished, type Survey } from './survey.ts';
export { rolloutLack } from './rollout.ts';
export { findHeld, findMarked } from './traces.ts';
export { uninstall, type UninstallPorts, type UninstallRequest } from './uninstall.ts';
