import { readMachO, type Section } from './file.ts';

/**
 * What differs between the sections of a program and those of the same program with something put in: nothing but the
 * added segment may. Tools that make room for it by moving others have made programs that crash on Intel Macs
 * (nodejs/node#62893), which nobody sees on the machine that makes them.
 */
export function sectionChanges(before: Buffer, after: Buffer): readonly string[] {
  const later = new Map(sectionsOf(after).map((section) => [section.name, section]));
  return sectionsOf(before).flatMap((section) => {
    const now = later.get(section.name);
    if (!now) return [`${section.name} is gone`];
    if (now.address !== section.address) return [`${section.name} is at another address`];
    if (now.size !== section.size || (now.offset === 0) !== (section.offset === 0))
      return [`${section.name} has another size`];
    const count = differences(contents(before, section), contents(after, now));
    return count > 0 ? [`${section.name} differs in ${count} bytes`] : [];
  });
}

function sectionsOf(file: Buffer): readonly Section[] {
  return readMachO(file).segments.flatMap(({ sections }) => sections);
}

function contents(file: Buffer, { offset, size }: Section): Buffer {
  return offset === 0 ? Buffer.alloc(0) : file.subarray(offset, offset + size);
}

function differences(a: Buffer, b: Buffer): number {
  if (a.equals(b)) return 0;
  let count = 0;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) count++;
  return count;
}
