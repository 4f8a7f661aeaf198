/** What is read of each object. */
export interface CensusItem {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface Counted {
  readonly items: readonly CensusItem[];
  /** Of the list. */
  readonly resourceVersion: string;
}

/** Field numbers of Kubernetes' own definitions (runtime and meta, `generated.proto`). They never change. */
const UNKNOWN = { raw: 2 };
const LIST = { metadata: 1, items: 2 };
const LIST_META = { resourceVersion: 2 };
const OBJECT = { metadata: 1 };
const META = { name: 1, namespace: 3, uid: 5, resourceVersion: 6 };

/** Reads a PartialObjectMetadataList in protobuf, behind its magic number. Throws at anything malformed. */
export function decodeCensus(bytes: Buffer): Counted {
  const items: CensusItem[] = [];
  let resourceVersion = '';
  for (const outer of fieldsOf(bytes)) {
    if (outer.number !== UNKNOWN.raw) continue;
    for (const field of fieldsOf(outer.bytes)) {
      if (field.number === LIST.items) items.push(itemOf(field.bytes));
      if (field.number === LIST.metadata) resourceVersion = textOf(field.bytes, LIST_META.resourceVersion);
    }
  }
  if (resourceVersion === '') throw new Error('a list without resourceVersion');
  return { items, resourceVersion };
}

function itemOf(bytes: Buffer): CensusItem {
  for (const { number, bytes: metadata } of fieldsOf(bytes)) {
    if (number === OBJECT.metadata) return metadataOf(metadata);
  }
  throw new Error('an object without metadata');
}

/** Stops at the version: what comes behind it, by the thousand bytes, is not looked at. */
function metadataOf(bytes: Buffer): CensusItem {
  let [name, namespace, uid] = ['', '', ''];
  for (const { number, bytes: value } of fieldsOf(bytes)) {
    if (number === META.name) name = value.toString('utf8');
    if (number === META.namespace) namespace = value.toString('utf8');
    if (number === META.uid) uid = value.toString('latin1');
    if (number === META.resourceVersion && name && uid)
      return { name, namespace, uid, resourceVersion: value.toString('latin1') };
  }
  throw new Error(`metadata of "${name}" without uid or resourceVersion`);
}

function textOf(bytes: Buffer, wanted: number): string {
  for (const { number, bytes: value } of fieldsOf(bytes))
    if (number === wanted) return value.toString('utf8');
  return '';
}

const NOTHING = Buffer.alloc(0);

/** The fields of a message, in their order; of numbers only that they are there. */
function* fieldsOf(bytes: Buffer): Iterable<{ readonly number: number; readonly bytes: Buffer }> {
  let at = 0;
  const varint = (): number => {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('a message that ends too early');
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const [number, wireType] = [Math.floor(tag / 8), tag % 8];
    if (wireType === 0) {
      varint();
      yield { number, bytes: NOTHING };
      continue;
    }
    const length = wireType === 2 ? varint() : wireType === 1 ? 8 : wireType === 5 ? 4 : NaN;
    if (!(at + length <= bytes.length)) throw new Error('a message that is no protobuf');
    yield { number, bytes: bytes.subarray(at, at + length) };
    at += length;
  }
}
