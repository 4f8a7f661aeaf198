/**
 * The way to a Kubernetes API server, as kubectl goes it.
 *
 * Words: a *connection* is what flags, kubeconfig and environment say about server and user; a *transport* sends
 * requests over it; *discovery* asks which types the server has; the *reader* gets and lists objects through it, the
 * *writer* changes them, and the *watcher* follows their changes.
 */
export { ApiError } from './api-error.ts';
export { kubeCensus, type Census, type CensusRequest, type CensusTaker } from './census.ts';
export type { ConnectionFlags } from './connection-flags.ts';
export type { Connection, Impersonation, ServerTls, UserCredentials } from './connection.ts';
export { eventOf, type Happening, type Reporter } from './event-object.ts';
export type { HttpStream } from './http-stream.ts';
export { kubeReader, type KubeReaderOptions } from './kube-reader.ts';
export { kubeWatcher, type KubeWatcherOptions } from './kube-watcher.ts';
export { kubeWriter, type KubeWriterOptions } from './kube-writer.ts';
export { mergedKubeconfig } from './kubeconfig-merge.ts';
export { Limiter } from './limiter.ts';
export { loadKubeconfig } from './load-kubeconfig.ts';
export { podEviction, type EvictionAnswer, type PodEviction } from './pod-eviction.ts';
export { podExec, type ExecTarget, type PodExec } from './pod-exec.ts';
export {
  connect,
  type ApiAnswer,
  type ApiRequest,
  type ConnectOptions,
  type Transport,
} from './transport.ts';
export { rawBody } from './raw-body.ts';
export { refreshedTypes, typesAskedOnce, type TypeSource } from './type-source.ts';
export type { ObjectPage, Selection, Watcher, WatchEvent, WatchRequest } from './watcher.ts';
