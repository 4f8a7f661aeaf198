import type { Gap } from '#pkg/object';

export const API_VERSION = 'rook-deps.io/v1alpha1';

/** An object as reports name it. */
export interface ObjectName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** Something that refers to the subject. */
export interface Cause {
  readonly code: string;
  readonly relation: string;
  readonly field?: string;
  readonly message: string;
  readonly object: ObjectName;
  /** The Kubernetes object that a thing inside Ceph was made for, where one is known. */
  readonly owner?: ObjectName;
  /** What it refers to, where that is a part of the subject or goes with it. */
  readonly part?: ObjectName;
}

export type VerdictKind = 'Deletable' | 'Blocked' | 'Unknown';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface Finalizer {
  readonly name: string;
  /** Who put it there, if the server recorded it. */
  readonly manager?: string;
}

/** How far the deletion of a terminating object has come. */
export interface Deletion {
  readonly requestedAt: string;
  /** Who asked for it, if the server recorded it. */
  readonly requestedBy?: string;
  readonly finalizers: readonly Finalizer[];
  /** What Rook says about it. */
  readonly conditions: readonly Condition[];
  /** Whether the operator that must finish it runs. Absent when no finalizer is Rook's. */
  readonly operator?: 'Running' | 'NotRunning' | 'NotFound' | 'Unknown';
}

/** The answer to `why`. Others build on its shape: fields are added, never changed. */
export interface DependencyReport {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'DependencyReport';
  readonly subject: ObjectName;
  readonly verdict: VerdictKind;
  /** Only for an object that is already terminating. */
  readonly deletion?: Deletion;
  /** What holds the subject. */
  readonly causes: readonly Cause[];
  /** What refers to it, or uses what holds it, and does not block by itself. */
  readonly related: readonly Cause[];
  readonly gaps: readonly Gap[];
  /** Why the verdict is not what causes and gaps suggest. */
  readonly notes?: readonly string[];
  /** Commands to copy. */
  readonly next: readonly string[];
}

export interface DependencyReportList {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'DependencyReportList';
  readonly items: readonly DependencyReport[];
}
