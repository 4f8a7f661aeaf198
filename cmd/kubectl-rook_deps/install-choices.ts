import { grantName, type ChosenOptions } from '#pkg/install';
import { UserError, type ResourceTypes } from '#pkg/object';
import type { Args } from './args.ts';
import { cephModeIn } from './ceph-mode.ts';

/** What later runs keep. */
export function chosenIn(args: Args): ChosenOptions {
  const replicas = args.text('replicas');
  const image = args.text('image');
  if (replicas !== undefined && !/^[1-9]\d{0,2}$/.test(replicas))
    throw new UserError(
      `error: invalid argument "${replicas}" for "--replicas" flag: must be a number above 0`,
    );
  if (image === '') throw new UserError(`error: invalid argument "" for "--image" flag: must be an image`);
  const ceph = cephModeIn(args);
  const cephNamespaces = wordsIn(args, 'ceph-namespace').map(namespaceName);
  return {
    ...(replicas ? { replicas: Number(replicas) } : {}),
    ...(image ? { image } : {}),
    ...(ceph ? { ceph } : {}),
    ...(args.given('ceph-namespace') ? { cephNamespaces } : {}),
  };
}

function namespaceName(word: string): string {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(word)) return word;
  throw new UserError(
    `error: invalid argument "${word}" for "--ceph-namespace" flag: must be the name of a namespace`,
  );
}

/** The words of a flag that takes lists and can be repeated. */
export function wordsIn(args: Args, flag: string): readonly string[] {
  return args
    .texts(flag)
    .flatMap((list) => list.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

/** Any name that kubectl takes, in full. */
export function resourceName(word: string, types: ResourceTypes): string {
  const type = types.resolve(word);
  if (type) return grantName(type);
  throw new UserError(`error: the server doesn't have a resource type "${word}"`);
}
