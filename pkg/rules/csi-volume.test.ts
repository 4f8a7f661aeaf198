import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aHandle } from '#test/fixtures/objects.ts';
import { cephDriver, decodeHandle, topologyPools } from './csi-volume.ts';

const UUID = 'dc39e945-07ba-41a7-9a1d-4e690a0edf79';

describe('cephDriver', () => {
  test.for([
    ['rbd.csi.ceph.com', 'rbd'],
    ['rook-ceph.rbd.csi.ceph.com', 'rbd'],
    ['my.prefix.rbd.csi.ceph.com', 'rbd'],
    ['rook-ceph.cephfs.csi.ceph.com', 'cephfs'],
    ['rook-ceph.nfs.csi.ceph.com', 'nfs'],
    ['rook-ceph.nvmeof.csi.ceph.com', 'nvmeof'],
    ['rbd.csi.ceph.com.evil', undefined],
    ['xrbd.csi.ceph.com', undefined],
    ['.rbd.csi.ceph.com', undefined],
    ['rbdXcsi.ceph.com', undefined],
    ['rbd.csi.ceph.com\n', undefined],
    ['iscsi.csi.ceph.com', undefined],
    ['csi.ceph.com', undefined],
    ['', undefined],
  ] as const)('takes %j for %s', ([name, driver]) => {
    expect(cephDriver(name)).toBe(driver);
  });

  test('takes no name for none', () => {
    expect(cephDriver(undefined)).toBeUndefined();
  });
});

describe('decodeHandle', () => {
  test.for([
    {
      name: 'reads clusterID and pool',
      handle: `0001-0009-rook-ceph-0000000000000001-${UUID}`,
      clusterId: 'rook-ceph',
      location: 1,
    },
    {
      name: 'counts the dashes of the clusterID',
      handle: `0001-0018-a-0000000000000002-b-c-d-e-0000000000000003-${UUID}`,
      clusterId: 'a-0000000000000002-b-c-d',
      location: undefined,
    },
    {
      name: 'does not stop at what looks like a pool inside the clusterID',
      handle: `0001-001a-a-0000000000000002-b-c-d-e-0000000000000003-${UUID}`,
      clusterId: 'a-0000000000000002-b-c-d-e',
      location: 3,
    },
    {
      name: 'reads the length and the pool in hex',
      handle: `0001-0010-abcdefghijklmnop-00000000000000ff-${UUID}`,
      clusterId: 'abcdefghijklmnop',
      location: 255,
    },
  ])('$name', ({ handle, clusterId, location }) => {
    expect(decodeHandle(handle)).toEqual(location === undefined ? undefined : { clusterId, location });
  });

  test.for([
    { name: 'nothing', handle: undefined },
    { name: 'the empty text', handle: '' },
    { name: 'the name of a static image', handle: 'my-image' },
    { name: 'a static name that begins alike', handle: '0001-0009-my-image' },
    { name: 'a length beyond the end', handle: `0001-ffff-rook-ceph-0000000000000001-${UUID}` },
    { name: 'a length that is too short', handle: `0001-0008-rook-ceph-0000000000000001-${UUID}` },
    { name: 'an empty clusterID', handle: `0001-0000--0000000000000001-${UUID}` },
    { name: 'a pool that is not hex', handle: `0001-0009-rook-ceph-000000000000000g-${UUID}` },
    { name: 'a pool that is too short', handle: `0001-0009-rook-ceph-1-${UUID}` },
    { name: 'a missing image', handle: '0001-0009-rook-ceph-0000000000000001-' },
    { name: 'something after the image', handle: `0001-0009-rook-ceph-0000000000000001-${UUID}-x` },
    { name: 'a line break at the end', handle: `0001-0009-rook-ceph-0000000000000001-${UUID}\n` },
  ])('reads $name as free text', ({ handle }) => {
    expect(decodeHandle(handle)).toBeUndefined();
  });

  test('gives back any clusterID and number', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 60, unit: fc.constantFrom('a', '0', '-', '.', 'f') }),
        fc.nat(),
        (clusterId, location) => {
          expect(decodeHandle(aHandle(clusterId, location))).toEqual({ clusterId, location });
        },
      ),
    );
  });
});

describe('topologyPools', () => {
  test.for([
    {
      name: 'reads pools and data pools',
      text: '[{"poolName":"a","dataPool":"b","domainSegments":[]},{"poolName":"c"}]',
      pools: ['a', 'b', 'c'],
    },
    { name: 'passes over entries without a name', text: '[{"poolName":7},null,"x",[]]', pools: [] },
    { name: 'takes broken JSON for nothing', text: '[{"poolName":', pools: [] },
    { name: 'takes another shape for nothing', text: '{"poolName":"a"}', pools: [] },
    { name: 'takes a list that is not text for nothing', text: [{ poolName: 'a' }], pools: [] },
  ])('$name', ({ text, pools }) => {
    expect(topologyPools({ topologyConstrainedPools: text })).toEqual(pools);
  });
});
