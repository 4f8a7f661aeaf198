import {
  CRITICAL_SERVICE,
  isRookOperator,
  operatorCriteria,
  parseCriticalService,
  type CriticalService,
  type Criterion,
  type DeletionPolicy,
  type NewCriticalService,
} from '#pkg/criticalservice';
import { Kinds, refOf, UserError, type KubeObject, type ResourceTypes } from '#pkg/object';
import { Args } from './args.ts';
import type { FlagSpecs } from './command.ts';
import { resourceArgs } from './resource-args.ts';
import { findSubjects } from './subjects.ts';
import type { Cluster, Source } from './wiring.ts';

const POLICIES: readonly DeletionPolicy[] = ['Strict', 'BestEffort', 'Orphan'];

export const CRITICAL_FLAGS: FlagSpecs = {
  critical: {
    type: 'string',
    describe:
      'Keep this object, as TYPE/NAME, and its namespace, until all of --finalizer and --resource are met.',
  },
  finalizer: {
    type: 'array',
    describe: 'Until no object has it: RESOURCE.GROUP=FINALIZER. With --critical; can be repeated.',
  },
  resource: {
    type: 'array',
    describe: 'Until it is gone: TYPE/NAME, in the same namespace. With --critical; can be repeated.',
  },
  'deletion-policy': {
    type: 'string',
    describe: `What keeps the CriticalService itself: ${POLICIES.join('|')}. With --critical.`,
  },
};

/** Whether a CriticalService is wanted rather than a Usage. */
export function wantsCritical(args: Args): boolean {
  const isOperator = args.words.length === 1 && args.words[0] === 'operator';
  if (isOperator || args.text('critical') !== undefined) return true;
  for (const name of ['finalizer', 'resource', 'deletion-policy'])
    if (args.texts(name).length > 0) throw new UserError(`error: --${name} needs --critical TYPE/NAME`);
  return false;
}

/** The CriticalServices that the arguments ask for. */
export async function criticalServicesFor(
  args: Args,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<readonly NewCriticalService[]> {
  const types = await cluster.reader.types(signal);
  const critical = args.text('critical');
  const isOperator = args.words[0] === 'operator';
  if (critical !== undefined && args.words.length > 0)
    throw new UserError(
      `error: --critical names the object to keep; "${args.words[0] ?? ''}" is one too many`,
    );
  if (critical !== undefined && !/^[^/]+\/[^/]+$/.test(critical))
    throw new UserError(`error: invalid argument "${critical}" for "--critical" flag: must be TYPE/NAME`);
  const providers = isOperator
    ? await findOperators(cluster, args.text('namespace'), signal)
    : await findSubjects(new Args([critical ?? ''], {}), cluster, signal);
  const criteria = [...(isOperator ? operatorCriteria(types) : []), ...criteriaIn(args, cluster, types)];
  if (criteria.length === 0)
    throw new UserError(
      'error: --critical needs something to wait for: --finalizer RESOURCE.GROUP=FINALIZER or --resource TYPE/NAME',
    );
  return providers.map((provider) => serviceFor(provider, criteria, args, types));
}

function serviceFor(
  provider: KubeObject,
  criteria: readonly Criterion[],
  args: Args,
  types: ResourceTypes,
): NewCriticalService {
  const { namespace, name } = provider.metadata;
  const { group, kind } = refOf(provider);
  const resource = types.find({ group, kind })?.plural ?? kind;
  return {
    provider: { group, resource, ...(namespace ? { namespace } : {}), name },
    kind,
    criteria,
    deletionPolicy: policyIn(args),
    replayDeletion: args.given('replay') ? args.isSet('replay') : undefined,
  };
}

function policyIn(args: Args): DeletionPolicy | undefined {
  const text = args.text('deletion-policy');
  const policy = POLICIES.find((one) => one.toLowerCase() === text?.toLowerCase());
  if (text === undefined || policy) return policy;
  throw new UserError(
    `error: invalid argument "${text}" for "--deletion-policy" flag: must be one of ${POLICIES.join(', ')}`,
  );
}

function criteriaIn(args: Args, { namespace }: Cluster, types: ResourceTypes): readonly Criterion[] {
  const finalizers = args.texts('finalizer').map((text): Criterion => {
    const [word = '', finalizerName = '', ...rest] = text.split('=');
    if (!word || !finalizerName || rest.length > 0)
      throw new UserError(
        `error: invalid argument "${text}" for "--finalizer" flag: must be RESOURCE.GROUP=FINALIZER`,
      );
    const type = types.resolve(word);
    if (!type) throw new UserError(`error: the server doesn't have a resource type "${word}"`);
    return { type: 'Finalizer', group: type.group, resource: type.plural, finalizerName };
  });
  const resources = args.texts('resource').map((text): Criterion => {
    if (!/^[^/]+\/[^/]+$/.test(text))
      throw new UserError(`error: invalid argument "${text}" for "--resource" flag: must be TYPE/NAME`);
    const [found] = resourceArgs([text], types);
    if (!found?.name) throw new UserError(`error: invalid argument "${text}" for "--resource" flag`);
    const { group, plural, namespaced } = found.type;
    const where = namespaced ? { namespace } : {};
    return { type: 'SpecificResource', group, resource: plural, ...where, name: found.name };
  });
  return [...finalizers, ...resources];
}

/** In all namespaces, unless one is asked for: the operator is seldom where people work. */
async function findOperators(
  { reader }: Source,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const { items, gaps } = await reader.list({ kind: Kinds.Deployment, namespace, detail: 'object' }, signal);
  const operators = items.filter(isRookOperator);
  if (operators.length > 0) return operators;
  const [gap] = gaps;
  if (gap) throw new UserError(`error: cannot look for the Rook operator: ${gap.what}: ${gap.reason}`);
  const where = namespace ? ` in namespace "${namespace}"` : '';
  throw new UserError(
    `error: there is no Rook operator${where}: no Deployment whose pods are labelled app=rook-ceph-operator`,
  );
}

/** Critical services exist only where we are installed, in a version that knows them: says so where they do not. */
export async function requireCriticalServices({ reader }: Source, signal: AbortSignal): Promise<void> {
  if ((await reader.types(signal)).find(CRITICAL_SERVICE)) return;
  throw new UserError(
    'error: this cluster has no CriticalServices (install or upgrade rook-deps: kubectl rook-deps install)',
  );
}

export async function listCriticalServices(
  { reader }: Source,
  signal: AbortSignal,
): Promise<readonly CriticalService[]> {
  const { items, gaps } = await reader.list({ kind: CRITICAL_SERVICE, detail: 'object' }, signal);
  const [gap] = gaps;
  if (gap) throw new UserError(`error: cannot list ${gap.what}: ${gap.reason}`);
  return items.map(parseCriticalService);
}
