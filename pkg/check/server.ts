import { textAt } from '#pkg/object';
import { failure, ok, type Check, type CheckPorts } from './check.ts';

const SECTION = 'Kubernetes';
/** The first with admission policies by default. */
const OLDEST_MINOR = 30;

/** The API server, and whether it has what an installation needs. */
export function serverChecks({ raw, types }: CheckPorts): readonly Check[] {
  return [
    {
      section: SECTION,
      title: 'the API server answers, and is new enough',
      isVital: true,
      async look(signal) {
        const version: unknown = JSON.parse(await raw('/version', signal));
        const text = textAt(version, 'gitVersion') ?? '<unknown>';
        const [, major, minor] = /^v(\d+)\.(\d+)/.exec(text) ?? [];
        const isNew = Number(major) > 1 || Number(minor) >= OLDEST_MINOR;
        return isNew ? ok(text) : failure(`it is ${text}`, `v1.${OLDEST_MINOR} or newer is needed`);
      },
    },
    {
      section: SECTION,
      title: 'it serves webhook configurations and admission policies',
      async look(signal) {
        const served = await types(signal);
        const group = 'admissionregistration.k8s.io';
        const missing = ['ValidatingWebhookConfiguration', 'ValidatingAdmissionPolicy'].filter(
          (kind) => !served.find({ group, kind }),
        );
        return missing.length === 0
          ? ok()
          : failure(
              `${missing.join(' and ')} not served`,
              'enable admissionregistration.k8s.io/v1 on the server',
            );
      },
    },
  ];
}
