import { createHash } from 'node:crypto';
import { BUNDLE_PREFIX } from './names.ts';
import type { KubeObject } from '#pkg/object';

/** The program as it goes into the cluster. */
export interface Bundle {
  /** The gzipped script. */
  readonly gzip: Uint8Array;
  /** Of all that the ConfigMap holds: another content has another name. */
  readonly hash: string;
}

const SCRIPT = 'rook-deps.cjs';

/** Runs the gzipped script beside it as if it were this file. */
const LOADER = `'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { gunzipSync } = require('node:zlib');
const Module = require('node:module');
const file = join(__dirname, '${SCRIPT}');
const script = new Module(file, module);
script.filename = file;
script._compile(gunzipSync(readFileSync(file + '.gz')).toString('utf8'), file);
`;

/** What a ConfigMap holds at most. */
export const CONFIG_MAP_BYTES = 1_048_576;

export function bundleOf(gzip: Uint8Array): Bundle {
  const hash = createHash('sha256').update(LOADER).update(gzip).digest('hex').slice(0, 16);
  return { gzip, hash };
}

export function bundleName({ hash }: Bundle): string {
  return `${BUNDLE_PREFIX}-${hash}`;
}

/** Immutable: kubelets need not watch it, and no pod ever sees half of an upgrade. */
export function bundleConfigMap(bundle: Bundle, namespace: string): KubeObject {
  const size = bundle.gzip.length + LOADER.length;
  if (size > CONFIG_MAP_BYTES)
    throw new Error(`cannot put a bundle of ${size} bytes into a ConfigMap, which holds ${CONFIG_MAP_BYTES}`);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: bundleName(bundle),
      namespace,
      labels: { 'app.kubernetes.io/name': 'rook-deps', 'app.kubernetes.io/component': 'bundle' },
    },
    immutable: true,
    data: { 'start.cjs': LOADER },
    binaryData: { [`${SCRIPT}.gz`]: Buffer.from(bundle.gzip).toString('base64') },
  };
}
