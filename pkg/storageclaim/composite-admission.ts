import {
  allow,
  badRequest,
  forbidden,
  invalid,
  type AdmissionHandler,
  type AdmissionRequest,
  type Answer,
} from '#pkg/admission';
import {
  groupOf,
  keyOf,
  Kinds,
  type GroupKind,
  type KubeObject,
  type ObjectRef,
  type ResourceTypes,
} from '#pkg/object';
import { parseComposite, type Composite, type Template } from './composite.ts';
import { checkTemplates } from './composition.ts';
import { leadsTo } from './circle.ts';
import { composedObject, targetOf } from './template.ts';
import { describe } from './writes.ts';

export interface CompositeAdmissionPorts {
  types(wanted: GroupKind, signal: AbortSignal): Promise<ResourceTypes>;
  mayDo(
    user: AdmissionRequest['userInfo'],
    verb: string,
    target: ObjectRef,
    signal: AbortSignal,
  ): Promise<boolean>;
  /** Our own kinds are reviewed when somebody makes one, as when a composite is to make it; others cannot be composed. */
  handlerOf(kind: GroupKind): AdmissionHandler | undefined;
  get(ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined>;
  /** The name of the user that we are. */
  readonly self: string;
}

const VERBS = ['create', 'delete'] as const;

/** Lets in only composites that can be composed, by people who could make and delete all of it themselves. */
export function compositeAdmission(ports: CompositeAdmissionPorts): AdmissionHandler {
  return async (request, signal) => {
    const { operation, object, oldObject, userInfo } = request;
    if (operation !== 'CREATE' && operation !== 'UPDATE')
      return badRequest(`unexpected operation "${operation}"`);
    if (!object) return badRequest('a composite without its object cannot be judged');
    const composite = parseComposite(object);
    const before = oldObject && parseComposite(oldObject);
    // Before all else: what cannot be composed any more must still be able to go.
    if (before && sameSpec(composite, before)) return allow();
    // Only which claim has it, which is for us to say.
    if (before && userInfo.username === ports.self && sameTemplates(composite, before)) return allow();
    const problem =
      (await findProblem(composite, ports, signal)) ?? (await findCircle(composite, ports, signal));
    if (problem) return problem;
    return (
      (await findBorrowing(composite, before, userInfo, ports, signal)) ??
      (await reviewOwnKinds(composite, request, ports, signal)) ??
      allow()
    );
  };
}

async function findProblem(
  composite: Composite,
  ports: CompositeAdmissionPorts,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const checked = await checkTemplates(composite, ports.types, signal);
  for (const [at, item] of checked.entries()) {
    if ('problem' in item)
      return invalid(item.problem.message, `spec.resources[${at}].template.${item.problem.field}`);
    const target = targetOf(item.template, composite.ref);
    if (keyOf(target) === keyOf(composite.ref))
      return invalid('a composite cannot be composed of itself', `spec.resources[${at}].template`);
  }
  return undefined;
}

async function findCircle(
  composite: Composite,
  ports: CompositeAdmissionPorts,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  for (const [at, { content }] of composite.templates.entries()) {
    if (!(await leadsTo(composite.ref.name, content, ports, signal))) continue;
    const message = 'a composite cannot be composed of a claim to itself: neither could ever go';
    return invalid(message, `spec.resources[${at}].template`);
  }
  return undefined;
}

/** What the user could not do without us. */
async function findBorrowing(
  composite: Composite,
  before: Composite | undefined,
  user: AdmissionRequest['userInfo'],
  ports: CompositeAdmissionPorts,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const targets = new Map(
    [composite, ...(before ? [before] : [])]
      .flatMap(({ templates, ref }) => templates.map((template) => targetOf(template, ref)))
      .map((target) => [keyOf(target), target]),
  );
  for (const target of targets.values()) {
    for (const verb of VERBS) {
      if (await ports.mayDo(user, verb, target, signal)) continue;
      return forbidden(
        `to compose an object one must be allowed to create and delete it, and user "${user.username}" cannot ${verb} ${describe(target)}`,
      );
    }
  }
  const secret = composite.connectionSecret;
  const { group, kind } = Kinds.Secret;
  if (!secret || (await ports.mayDo(user, 'get', { group, kind, ...secret }, signal))) return undefined;
  const name = describe({ group, kind, ...secret });
  return forbidden(
    `to pass a Secret on one must be allowed to read it, and user "${user.username}" cannot get ${name}`,
  );
}

async function reviewOwnKinds(
  composite: Composite,
  request: AdmissionRequest,
  ports: CompositeAdmissionPorts,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  for (const [at, template] of composite.templates.entries()) {
    const { group, kind, namespace, name } = targetOf(template, composite.ref);
    if (group !== Kinds.StorageComposite.group) continue;
    const handler = ports.handlerOf({ group, kind });
    if (!handler) return inTemplate(invalid(`${kind} cannot be composed`, 'kind'), at);
    const { oldObject: _, ...rest } = request;
    const object = composedObject(template, composite);
    const version = object.apiVersion.slice(object.apiVersion.indexOf('/') + 1);
    const answer = await handler(
      {
        ...rest,
        operation: 'CREATE',
        kind: { group, version, kind },
        name,
        ...(namespace ? { namespace } : {}),
        object,
      },
      signal,
    );
    if (answer.kind !== 'allow') return inTemplate(answer, at);
  }
  return undefined;
}

function inTemplate(answer: Answer, at: number): Answer {
  if (answer.kind !== 'invalid') return answer;
  const path = `spec.resources[${at}].template`;
  return { ...answer, field: answer.field ? `${path}.${answer.field}` : path };
}

function sameTemplates(a: Composite, b: Composite): boolean {
  const parts = ({ templates, claimableFrom, connectionSecret }: Composite): unknown => [
    templates.map(({ name, content }: Template) => [name, groupOf(String(content['apiVersion'])), content]),
    claimableFrom,
    connectionSecret,
  ];
  return JSON.stringify(parts(a)) === JSON.stringify(parts(b));
}

function sameSpec(a: Composite, b: Composite): boolean {
  return sameTemplates(a, b) && JSON.stringify(a.claimRef) === JSON.stringify(b.claimRef);
}
