/**
 * Objects of a live cluster, kept up to date by watches.
 *
 * Words: a *projection* is what is kept of an object; a *store* holds the projections of one kind by key, and *indexes*
 * find keys by any computed value; a *reflector* keeps one store equal to what the server has, and its *state* says
 * whether the store can be believed.
 */
export { delayedWatcher } from './delayed-watcher.ts';
export type { IndexFunction, IndexFunctions } from './index-map.ts';
export type { KindSpec } from './kind-spec.ts';
export { Reflector, type ReflectorPorts, type WatchHealth } from './reflector.ts';
export type { ChangeListener, ObjectChange, StoreView } from './store.ts';
export type { Timing } from './timing.ts';
export type { WatchState } from './watch-state.ts';
export { WatchedKinds, type Look, type WatchedKindsListener } from './watched-kinds.ts';
