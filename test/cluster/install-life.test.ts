import { once } from 'node:events';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeOnCluster } from './control-plane.ts';
import { InstallStage, type LocalReplica } from './install-stage.ts';
import { LocalService } from './local-service.ts';

const LIMIT_MS = 240_000;
const WAIT = { timeout: 40_000, interval: 200 };
const POOL = {
  apiVersion: 'ceph.rook.io/v1',
  kind: 'CephBlockPool',
  metadata: { name: 'payments', namespace: 'default' },
  spec: { replicated: { size: 3 } },
};
const DELETE = ['delete', 'cephblockpool/payments', '-n', 'default'];

let stage: InstallStage;
let service: LocalService;

async function kill({ process: child }: LocalReplica): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describeOnCluster('an installation with two replicas', () => {
  beforeAll(async () => {
    stage = await InstallStage.start();
    service = await LocalService.start();
  }, 120_000);
  afterAll(async () => {
    service?.stop();
    await stage?.end();
  });

  test(
    'refuses while it runs and while it does not, lets go what is released, and leaves nothing',
    { timeout: LIMIT_MS },
    async () => {
      const before = await stage.everything();
      const signal = AbortSignal.timeout(LIMIT_MS);
      const start = async (): Promise<readonly LocalReplica[]> => {
        const replicas = [await stage.startReplica(signal), await stage.startReplica(signal)];
        service.lead(...replicas.map(({ webhookPort }) => webhookPort));
        return replicas;
      };

      const installing = stage.plugin(['install']);
      const first = await start();
      await stage.markPodsReady();
      await stage.route(service.port, signal);
      expect(await installing).toMatchObject({ code: 0 });

      await stage.kubectl(['create', '-f', '-'], JSON.stringify(POOL));
      const made = await stage.plugin(['protect', 'cephbp/payments', '--reason', 'payments database']);
      expect(made).toMatchObject({
        code: 0,
        stdout: 'usage.rook-deps.io/protect-cephblockpool-payments created\n',
      });
      const refused = await stage.kubectl(DELETE);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toBe(
        [
          'Error from server (Conflict): admission webhook "in-use.rook-deps.io" denied the request: ' +
            'CephBlockPool "payments" is in use by 1 usage:',
          '- Usage "default/protect-cephblockpool-payments" of CephBlockPool/payments with reason: "payments database"',
          'See: kubectl rook-deps why cephblockpool/payments -n default',
          '',
        ].join('\n'),
      );

      // One of two is enough, whichever leads.
      const [one, two] = first as [LocalReplica, LocalReplica];
      await kill(one);
      expect((await stage.kubectl(DELETE)).stderr).toContain('is in use by 1 usage');
      await kill(two);
      const unanswered = await stage.kubectl(DELETE);
      expect(unanswered.code).toBe(1);
      expect(unanswered.stderr).toContain('failed calling webhook "in-use.rook-deps.io"');
      // The label is guarded without us: nobody gets round the webhook while it is down.
      const tampered = await stage.kubectl(['label', 'cephblockpool/payments', 'rook-deps.io/in-use-']);
      expect(tampered.stderr).toContain("ValidatingAdmissionPolicy 'rook-deps-labels'");
      // What is neither protected nor Rook's is not our business.
      await stage.kubectl(['create', 'configmap', 'free']);
      expect(await stage.kubectl(['delete', 'configmap/free'])).toMatchObject({ code: 0 });

      await start();
      expect((await stage.kubectl(DELETE)).stderr).toContain('is in use by 1 usage');
      const released = await stage.plugin(['unprotect', 'cephbp/payments']);
      expect(released.stdout).toBe('usage.rook-deps.io/protect-cephblockpool-payments deleted\n');
      await vi.waitFor(async () => expect(await stage.kubectl(DELETE)).toMatchObject({ code: 0 }), WAIT);

      const gone = await stage.plugin(['uninstall', '--yes']);
      expect(gone).toMatchObject({ code: 0 });
      await vi.waitFor(async () => expect(await stage.everything()).toEqual(before), WAIT);
    },
  );
});
