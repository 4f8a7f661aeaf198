/**
 * Stands in for the client library's barrel of generated code: its 900 model classes make up three quarters of
 * the library, and `KubeConfig` needs only these few names of it.
 */
export * from '@kubernetes/client-node/dist/gen/http/http.js';
export * from '@kubernetes/client-node/dist/gen/apis/exception.js';
export * from '@kubernetes/client-node/dist/gen/servers.js';
export { createConfiguration } from '@kubernetes/client-node/dist/gen/configuration.js';
export { RequiredError } from '@kubernetes/client-node/dist/gen/apis/baseapi.js';
export { Observable } from '@kubernetes/client-node/dist/gen/rxjsStub.js';
