import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** They take minutes each: begun last, they would run on long after all others have ended. */
const LONG = [
  'ceph/maintenance',
  'ceph/drain',
  'controller/critical-bulk',
  'controller/stale-allow',
  'controller/storageclaim-kill',
  'package/package',
  'cluster/install',
].map((name) => `/test/${name}.test.ts`);

/** Long files first, the rest as Vitest would have it. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((name) => moduleId.endsWith(name));
      return at === -1 ? LONG.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}
