import { allow, type AdmissionHandler } from '#pkg/admission';
import { keyOf, Kinds, sameKind, type GroupKind, type ObjectRef } from '#pkg/object';
import { Queue, type Reconciler } from '#pkg/runtime';
import {
  claimAdmission,
  claimReconciler,
  compositeAdmission,
  compositeReconciler,
  StorageWatch,
  type StorageClaimPorts,
} from '#pkg/storageclaim';
import { usageAdmission } from '#pkg/usage';
import { criticalServiceReviewer } from './critical-service-feature.ts';
import type { Feature, Machinery } from './feature.ts';
import { usageLister } from './kube-ports.ts';
import { working } from './working.ts';

/** StorageComposite and StorageClaim. */
export function storageClaimFeature(machinery: Machinery): Feature {
  const { reader, writer, watcher, types, metrics, clock, logger } = machinery;
  const queue = new Queue<ObjectRef>({ clock, idOf: keyOf });
  const watch = new StorageWatch({ watcher, clock, logger, random: Math.random }, (ref) => queue.add(ref));
  const ports: StorageClaimPorts = {
    get: (ref, signal) => reader.get(ref, ref.namespace, ref.name, signal),
    list: (request, signal) => reader.list(request, signal),
    types,
    writer,
    departed: watch.departed,
    clock,
  };
  const [claims, composites] = [claimReconciler(ports), compositeReconciler(ports)];
  const reconciler: Reconciler<ObjectRef> = {
    reconcile: (ref, signal) =>
      (sameKind(ref, Kinds.StorageClaim) ? claims : composites).reconcile(ref, signal),
  };
  metrics.watchCacheLag('StorageClaim', () => {
    const { heardAtMs } = watch;
    return heardAtMs === undefined ? undefined : clock.now() - heardAtMs;
  });
  return {
    handlers: new Map([
      ['/storagecomposite', compositesOf(machinery)],
      ['/storageclaim', claimAdmission(ports)],
    ]),
    everywhere: [{ name: 'watches of storage', run: (signal) => watch.run(signal) }],
    leading: [working('storage', queue, reconciler, machinery, () => watch.turnAll())],
    ready: [
      {
        name: 'storage',
        problem: () => (watch.isSynced ? undefined : 'composites and claims have not been listed yet'),
      },
    ],
  };
}

/** What a composite makes of our own kinds is reviewed as if its author had made it. */
function compositesOf(machinery: Machinery): AdmissionHandler {
  const { reader, types, access, namespace } = machinery;
  const usages = usageAdmission({
    types,
    allUsages: usageLister(reader, types),
    mayDelete: (user, target, signal) => access(user, 'delete', target, signal),
  });
  const composites = compositeAdmission({
    types,
    mayDo: (user, verb, target, signal) => access(user, verb, target, signal),
    handlerOf: (kind) => reviewers.find(([known]) => sameKind(known, kind))?.[1],
    get: (ref, signal) => reader.get(ref, ref.namespace, ref.name, signal),
    self: `system:serviceaccount:${namespace}:rook-deps-controller`,
  });
  const reviewers: readonly (readonly [GroupKind, AdmissionHandler])[] = [
    [Kinds.StorageComposite, composites],
    [Kinds.Usage, usages],
    [Kinds.ClusterUsage, usages],
    [Kinds.CriticalService, criticalServiceReviewer(machinery)],
    // What it may claim is asked when it is there: nobody gains by who makes it.
    [Kinds.StorageClaim, () => Promise.resolve(allow())],
  ];
  return composites;
}
