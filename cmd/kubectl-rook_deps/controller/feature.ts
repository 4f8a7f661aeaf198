import type { AdmissionHandler, DeletionGuard } from '#pkg/admission';
import type { CensusTaker, Connection, PodEviction, Watcher } from '#pkg/kube';
import type { Ceph, CephContents } from '#pkg/ceph';
import type { Clock } from '#pkg/clock';
import type { Logger } from '#pkg/log';
import type { KubeObject, Reader, Writer } from '#pkg/object';
import type { SharedMark } from '#pkg/protection';
import type { Component, HealthCheck, Metrics } from '#pkg/runtime';
import type { CephMode } from '../ceph-mode.ts';
import type { AccessReviewer, EventRecorder, Types } from './kube-ports.ts';

/** What every feature of the controller gets. */
export interface Machinery {
  /** Where we are installed. */
  readonly namespace: string;
  /** For those who work in a thread of their own. */
  readonly connection: Connection;
  readonly reader: Reader;
  readonly writer: Writer;
  readonly watcher: Watcher;
  readonly evict: PodEviction;
  readonly census: CensusTaker;
  readonly types: Types;
  readonly access: AccessReviewer;
  readonly record: EventRecorder;
  /** The label that brings deletions before the webhook. */
  readonly inUse: SharedMark;
  /** The way to the Ceph of a CephCluster. */
  cephOf(cluster: KubeObject): Ceph;
  /** What Ceph holds inside a resource. */
  readonly contents: CephContents;
  readonly cephMode: CephMode;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A promise of the controller: what it answers, watches and does. */
export interface Feature {
  /** By path of the webhook. */
  readonly handlers?: ReadonlyMap<string, AdmissionHandler>;
  /** Asked about every deletion that is reviewed. */
  readonly guard?: DeletionGuard;
  /** On every replica. */
  readonly everywhere?: readonly Component[];
  /** On the leader alone. */
  readonly leading?: readonly Component[];
  /** What must hold before a replica answers. */
  readonly ready?: readonly HealthCheck[];
}
