/**
 * Saved manifests as a cluster: YAML and JSON from files, folders or standard input, behind the same Reader as a
 * live one. What the files hold is taken for all there is.
 */
export { loadManifests, type Manifests, type ManifestSources } from './load.ts';
export { manifestReader } from './reader.ts';
