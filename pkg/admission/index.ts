/**
 * The webhook: HTTPS, AdmissionReview, dispatch by path, and the certificates for it. Knows no rule.
 *
 * Words: a *handler* decides on a *request* with an *answer*; an answer is turned into a review in one place. A *guard*
 * may have an *objection* to a deletion: first at a *glance*, then, before anything is allowed, after a *look*. The *keeper* makes
 * the certificates and hands them to the server; the *bundle* is what the API server trusts. The *token* ends every path that
 * is answered: nobody but the API server knows it.
 */
export {
  allow,
  badRequest,
  conflict,
  forbidden,
  invalid,
  unavailable,
  type Answer,
  type AnswerCause,
  type AnswerDetails,
  type Text,
  type Verdict,
} from './answer.ts';
export { serviceNames } from './certificates/issue.ts';
export {
  CertificateKeeper,
  type CertificateExpiry,
  type CertificateKeeperOptions,
} from './certificates/keeper.ts';
export { kubeCaBundles, kubeSecret } from './certificates/kube-ports.ts';
export type { ServingCertificate } from './certificates/material.ts';
export type {
  CaBundlePort,
  SecretPort,
  StoredSecret,
  WebhookCall,
  WebhookTrust,
} from './certificates/ports.ts';
export {
  deletionHandler,
  FORCE_DELETE_ANNOTATION,
  type Deletion,
  type DeletionGuard,
  type DeletionPorts,
  type Objection,
} from './deletion.ts';
export type { AdmissionHandler } from './handler.ts';
export { noMetrics, type AdmissionMetrics, type Decision } from './metrics.ts';
export { hasToken, isToken, withoutToken, withToken } from './path-token.ts';
export { targetOf, type AdmissionRequest, type Operation, type Requester } from './request.ts';
export { AdmissionServer, type AdmissionServerOptions } from './server.ts';
