/**
 * Typed questions to Ceph, and the parsers of its answers.
 *
 * Words: the *contents* of a resource are the images, subvolumes and buckets that Ceph holds for it and that no
 * Kubernetes object need mention.
 */
export { skippedCeph, unaskedCeph } from './unasked.ts';
export type { CephContents, Content, Contents } from './contents.ts';
