import { isRecord, UserError } from '#pkg/object';

/** The shape a kubeconfig field has in kubectl, which names the Go type when a value does not fit. */
export type Shape =
  | { readonly type: 'string' | 'bool' | 'bytes' | 'any' }
  | { readonly type: 'list'; readonly of: Shape }
  | { readonly type: 'map'; readonly of: Shape }
  | { readonly type: 'struct'; readonly name: string; readonly fields: Readonly<Record<string, Shape>> };

export const text: Shape = { type: 'string' };
export const bool: Shape = { type: 'bool' };
export const bytes: Shape = { type: 'bytes' };
export const anything: Shape = { type: 'any' };
export const listOf = (of: Shape): Shape => ({ type: 'list', of });
export const mapOf = (of: Shape): Shape => ({ type: 'map', of });
export const struct = (name: string, fields: Readonly<Record<string, Shape>>): Shape => ({
  type: 'struct',
  name,
  fields,
});

interface Place {
  readonly struct: string;
  readonly path: readonly string[];
}

/** Throws kubectl's complaint about the first value that does not fit; `null` fits everything, as in Go. */
export function checkShape(value: unknown, shape: Shape, place: Place): void {
  if (value === null || value === undefined) return;
  switch (shape.type) {
    case 'any':
      return;
    case 'string':
      if (typeof value !== 'string') throw misfit(value, shape, place);
      return;
    case 'bool':
      if (typeof value !== 'boolean') throw misfit(value, shape, place);
      return;
    case 'bytes':
      if (typeof value !== 'string') throw misfit(value, shape, place);
      checkBase64(value);
      return;
    case 'list':
      if (!Array.isArray(value)) throw misfit(value, shape, place);
      for (const item of value) checkShape(item, shape.of, place);
      return;
    case 'map':
      if (!isRecord(value)) throw misfit(value, shape, place);
      for (const key of Object.keys(value).sort()) checkShape(value[key], shape.of, place);
      return;
    case 'struct':
      if (!isRecord(value)) throw misfit(value, shape, place);
      checkFields(value, shape, place);
  }
}

function checkFields(
  value: Record<string, unknown>,
  shape: Extract<Shape, { type: 'struct' }>,
  place: Place,
): void {
  // kubectl turns YAML into JSON with sorted keys first: the first misfit in that order is the one it names.
  for (const key of Object.keys(value).sort()) {
    const field = shape.fields[key];
    if (field) checkShape(value[key], field, { struct: shape.name, path: [...place.path, key] });
  }
}

function checkBase64(value: string): void {
  const compact = value.replace(/[\r\n]/g, '');
  const bad = compact.search(/[^A-Za-z0-9+/]/);
  const body = bad < 0 ? compact : compact.slice(0, bad);
  const padding = bad < 0 ? '' : compact.slice(bad);
  if (padding !== '' && !/^={1,2}$/.test(padding))
    throw new UserError(`illegal base64 data at input byte ${bad}`);
  if ((body.length + padding.length) % 4 !== 0) {
    throw new UserError(`illegal base64 data at input byte ${compact.length - (compact.length % 4)}`);
  }
}

function misfit(value: unknown, shape: Shape, place: Place): UserError {
  const field = `${place.struct}.${place.path.join('.')}`;
  return new UserError(
    `json: cannot unmarshal ${jsonKind(value)} into Go struct field ${field} of type ${goType(shape)}`,
  );
}

export function jsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function goType(shape: Shape): string {
  switch (shape.type) {
    case 'bytes':
      return '[]uint8';
    case 'any':
      return 'interface {}';
    case 'list':
      return `[]${goType(shape.of)}`;
    case 'map':
      return `map[string]${goType(shape.of)}`;
    case 'struct':
      return `v1.${shape.name}`;
    default:
      return shape.type;
  }
}
