declare const __VERSION__: string | undefined;
declare const __COMMIT__: string | undefined;

/** Set by the build; a run from the sources has none. */
export const VERSION: string = typeof __VERSION__ === 'string' ? `v${__VERSION__}` : 'v0.0.0-source';
export const COMMIT: string = typeof __COMMIT__ === 'string' ? __COMMIT__ : '';
