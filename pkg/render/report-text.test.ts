import { describe, expect, test } from 'vitest';
import { plainStyle } from '#pkg/render';
import type { Cause, DependencyReport } from '#pkg/verdict';
import { renderReport, reportNames, type ReportOptions } from './report-text.ts';

const OPTIONS: ReportOptions = {
  style: plainStyle,
  wide: false,
  headers: true,
  now: Date.parse('2026-11-18T20:00:00Z'),
};

function report(parts: Partial<DependencyReport>): DependencyReport {
  return {
    apiVersion: 'rook-deps.io/v1alpha1',
    kind: 'DependencyReport',
    subject: { apiVersion: 'ceph.rook.io/v1', kind: 'CephBlockPool', namespace: 'rook-ceph', name: 'p' },
    verdict: 'Deletable',
    causes: [],
    related: [],
    gaps: [],
    next: [],
    ...parts,
  };
}

function volume(name: string): Cause {
  return {
    code: 'RD023',
    relation: 'keeps its data in',
    field: 'spec.csi.volumeAttributes.pool',
    message: `PersistentVolume ${name} keeps its data in CephBlockPool p (claim shop/${name})`,
    object: { apiVersion: 'v1', kind: 'PersistentVolume', name },
  };
}

const image: Cause = {
  code: 'RD027',
  relation: 'is stored in',
  message: 'RBDImage csi-vol-1 is stored in CephBlockPool p',
  object: { apiVersion: 'ceph', kind: 'RBDImage', name: 'csi-vol-1' },
};
const user: Cause = {
  code: 'RD002',
  relation: 'is a namespace of',
  field: 'spec.blockPoolName',
  message: 'CephBlockPoolRadosNamespace other/t is a namespace of CephBlockPool p',
  object: {
    apiVersion: 'ceph.rook.io/v1',
    kind: 'CephBlockPoolRadosNamespace',
    namespace: 'other',
    name: 't',
  },
};
const volumes = Array.from({ length: 12 }, (_, at) => volume(`v${String(at).padStart(2, '0')}`));

const golden: { name: string; report: DependencyReport; options?: Partial<ReportOptions> }[] = [
  {
    name: 'blocked',
    report: report({
      verdict: 'Blocked',
      causes: [user, volume('v1'), image],
      related: [
        {
          code: 'RD031',
          relation: 'is bound to',
          field: 'spec.claimRef',
          message: 'PersistentVolumeClaim shop/v1 is bound to PersistentVolume v1',
          object: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'v1' },
        },
      ],
      gaps: [{ what: 'Pod', reason: 'forbidden: no' }],
      next: ['kubectl rook-deps tree cephblockpool/p -n rook-ceph'],
    }),
  },
  {
    name: 'unknown',
    report: report({ verdict: 'Unknown', gaps: [{ what: 'CephClient', reason: 'forbidden: no' }] }),
  },
  { name: 'deletable', report: report({ next: ['kubectl delete cephblockpool/p -n rook-ceph'] }) },
  {
    name: 'terminating',
    report: report({
      verdict: 'Deletable',
      related: [volume('v1')],
      notes: ['CephCluster rook-ceph is being deleted'],
      deletion: {
        requestedAt: '2026-11-18T19:50:55Z',
        requestedBy: 'kubectl',
        finalizers: [{ name: 'cephblockpool.ceph.rook.io', manager: 'rook' }, { name: 'example.com/guard' }],
        conditions: [
          { type: 'DeletionIsBlocked', status: 'True', reason: 'ObjectHasDependents', message: 'has images' },
          { type: 'Deleting', status: 'True' },
        ],
        operator: 'NotRunning',
      },
    }),
  },
  {
    name: 'blocked-terminating',
    report: report({
      verdict: 'Blocked',
      causes: [user],
      deletion: { requestedAt: '2026-11-18T19:50:55Z', finalizers: [], conditions: [] },
    }),
  },
  { name: 'many', report: report({ verdict: 'Blocked', causes: [user, ...volumes] }) },
  {
    name: 'many-wide',
    report: report({ verdict: 'Blocked', causes: [user, ...volumes] }),
    options: { wide: true },
  },
  {
    name: 'no-headers',
    report: report({ verdict: 'Blocked', causes: [user] }),
    options: { headers: false },
  },
  {
    name: 'boxed',
    report: report({ verdict: 'Unknown', gaps: [{ what: 'Pod', reason: 'forbidden: no' }] }),
    options: {
      style: {
        unicode: true,
        paint: (tone, text) => `<${tone}>${text}</${tone}>`,
        box: (text, tone) => `[${tone}\n${text}\n]`,
      },
    },
  },
];

describe('a report', () => {
  test.for(golden)('reads as agreed: $name', async ({ name, report: given, options }) => {
    const text = renderReport(given, { ...OPTIONS, ...options });
    await expect(`${text}\n`).toMatchFileSnapshot(`../../test/fixtures/golden/report-${name}.txt`);
  });

  const operators = [
    ['Running', 'is running'],
    ['NotRunning', 'NOT running'],
    ['NotFound', 'NO pod'],
    ['Unknown', 'could not be checked'],
  ] as const;
  test.for(operators)('says of an operator that is %s: %s', ([operator, words]) => {
    const deletion = { requestedAt: 'sometime', finalizers: [], conditions: [], operator };
    const text = renderReport(report({ deletion }), OPTIONS);
    expect(text).toContain(words);
    expect(text).toMatch(/Requested: +sometime\n/);
  });

  test('counts an object once, however many codes it has', () => {
    const causes = [volume('v1'), { ...volume('v1'), code: 'RD099' }];
    expect(renderReport(report({ verdict: 'Blocked', causes }), OPTIONS)).toContain('1 object needs it');
  });

  test('shows no control character, wherever it comes from', () => {
    const evil = 'x\u001b]0;pwned\u0007\ry';
    const hostile = report({
      subject: { apiVersion: 'ceph.rook.io/v1', kind: 'CephBlockPool', namespace: evil, name: evil },
      verdict: 'Blocked',
      causes: [
        {
          code: 'RD002',
          relation: 'uses',
          field: evil,
          message: `CephClient ${evil} uses CephBlockPool ${evil}`,
          object: { apiVersion: 'ceph.rook.io/v1', kind: evil, namespace: `${evil}2`, name: evil },
        },
      ],
      gaps: [{ what: evil, reason: evil }],
      notes: [evil],
      next: [evil],
      deletion: {
        requestedAt: evil,
        requestedBy: evil,
        finalizers: [{ name: evil, manager: evil }],
        conditions: [{ type: evil, status: evil, reason: evil, message: evil }],
      },
    });
    for (const wide of [false, true]) {
      // oxlint-disable-next-line no-control-regex -- control characters are the point
      expect(renderReport(hostile, { ...OPTIONS, wide })).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    }
    // oxlint-disable-next-line no-control-regex -- control characters are the point
    expect(reportNames(hostile).join('')).not.toMatch(/[\u0000-\u001f]/);
  });
});

test('the names of a report are those of its causes, each once', () => {
  const names = reportNames(report({ causes: [user, volume('v1'), volume('v1')], related: [volume('v2')] }));
  expect(names).toEqual(['cephblockpoolradosnamespace.ceph.rook.io/t', 'persistentvolume/v1']);
});
