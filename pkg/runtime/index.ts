/**
 * What every controller needs and none should write again; knows nothing of what is controlled.
 *
 * Words: a *queue* holds keys that wait for a worker; a *reconciler* brings the object of one key closer to what is
 * wanted, and its *outcome* says when to look next; a *controller* is workers between the two. A *component* runs until
 * told to stop. Of all *electors* of a lease one leads.
 */
export { Backoff, type BackoffOptions } from './backoff.ts';
export type { Component } from './component.ts';
export {
  controller,
  type ControllerOptions,
  type ReconcileMetrics,
  type ReconcileResult,
} from './controller.ts';
export { measureEventLoopLag, type EventLoopLag, type LagReading } from './event-loop-lag.ts';
export { gate, type Gate, type HealthCheck } from './health.ts';
export {
  healthServer,
  type Exposition,
  type HealthServer,
  type HealthServerOptions,
} from './health-server.ts';
export {
  leaderElector,
  uniqueIdentity,
  type LeaderElector,
  type LeaderElectorOptions,
} from './leader-election.ts';
export { leaderOnly } from './leader-only.ts';
export type { LeasePort } from './lease.ts';
export { leasePort } from './lease-port.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { Queue, type QueueOptions } from './queue.ts';
export { lookAgain, waitForChange, type Outcome, type Reconciler } from './reconciler.ts';
export { runInStages, type Drain, type RunOptions } from './run-components.ts';
