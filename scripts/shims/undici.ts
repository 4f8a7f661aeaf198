/**
 * Stands in for undici: requests go through a transport of our own, so nothing of it runs. The agents are inert
 * rather than throwing, because `KubeConfig` makes one when all that was asked for is the credentials.
 */
export class Agent {}

export class ProxyAgent {}

export function fetch(): never {
  throw new Error('the request path of the client library is not part of this build');
}
