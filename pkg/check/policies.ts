import { isDeepStrictEqual } from 'node:util';
import { fieldAt, groupOf, isRecord, type KubeObject } from '#pkg/object';
import { failure, ok, type Check, type CheckPorts } from './check.ts';

const KINDS = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'];
/** What the server fills in where nothing is said. */
const DEFAULTS: Readonly<Record<string, unknown>> = { matchPolicy: 'Equivalent', scope: '*' };

/** Whether labels and statuses of ours are kept from others, and the controller from what is not its business. */
export function policyCheck(namespace: string, { reader, manifests }: CheckPorts): Check {
  return {
    section: 'Installation',
    title: 'the admission policies are what this program installs',
    async look(signal) {
      const wanted = (await manifests(namespace)).filter(({ kind }) => KINDS.includes(kind));
      const found = await Promise.all(
        wanted.map(({ apiVersion, kind, metadata }) =>
          reader.get({ group: groupOf(apiVersion), kind }, undefined, metadata.name, signal),
        ),
      );
      const wrong = wanted.flatMap((object, at) => wordsFor(object, found[at]) ?? []);
      return wrong.length === 0
        ? ok()
        : failure(
            `${wrong.join(', ')}: what they forbid can be done, such as to take a label off and delete the object unasked`,
            'run: kubectl rook-deps install; what somebody added stays, unless it is deleted first',
          );
    },
  };
}

function wordsFor(wanted: KubeObject, found: KubeObject | undefined): string | undefined {
  const name = `${wanted.kind} ${wanted.metadata.name}`;
  if (!found) return `no ${name}`;
  const isSame = isDeepStrictEqual(said(fieldAt(wanted, 'spec')), said(fieldAt(found, 'spec')));
  return isSame ? undefined : `another ${name}`;
}

/** Without what the server would fill in, so that either way of writing it is the same. */
function said(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(said);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value)
    // That it warns or is noted as well does no harm, and stays when it is applied again.
    .map(([name, part]) => [name, name === 'validationActions' ? denies(part) : said(part)] as const)
    .filter(([name, part]) => part !== DEFAULTS[name] && !isDeepStrictEqual(part, {}));
  return Object.fromEntries(entries);
}

function denies(actions: unknown): boolean {
  return Array.isArray(actions) && actions.includes('Deny');
}
