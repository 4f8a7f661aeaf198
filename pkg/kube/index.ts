/**
 * The way to a Kubernetes API server, as kubectl goes it.
 *
 * Words: a *connection* is what flags, kubeconfig and environment say about server and user; a *transport* sends
 * requests over it; *discovery* asks which types the server has; the *reader* gets and lists objects through it.
 */
export type { ConnectionFlags } from './connection-flags.ts';
export type { Connection, Impersonation, ServerTls, UserCredentials } from './connection.ts';
export { kubeReader, type KubeReaderOptions } from './kube-reader.ts';
export { loadKubeconfig } from './load-kubeconfig.ts';
export {
  connect,
  type ApiAnswer,
  type ApiRequest,
  type ConnectOptions,
  type Transport,
} from './transport.ts';
