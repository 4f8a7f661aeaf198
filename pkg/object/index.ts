/**
 * What a Kubernetes object is called and looks like, and how one is asked for.
 *
 * Words: a *reference* names an object without version or UID; a *key* is a reference as a string; a *resource
 * type* is a kind with the names people type for it; a *gap* is something that could not be looked at.
 */
export * from './account-access.ts';
export * from './cleanup-policy.ts';
export * from './cut-text.ts';
export * from './errors.ts';
export * from './fields.ts';
export * from './known-types.ts';
export * from './label-selector.ts';
export * from './parse-object.ts';
export * from './object.ts';
export * from './reader.ts';
export * from './reference.ts';
export * from './resource-types.ts';
export * from './structured-selector.ts';
export * from './writer.ts';
