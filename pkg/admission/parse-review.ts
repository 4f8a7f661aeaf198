import {
  fieldAt,
  isRecord,
  isTrueAt,
  listAt,
  numberAt,
  parseObject,
  recordAt,
  textAt,
  type KubeObject,
} from '#pkg/object';
import type { AdmissionRequest, Operation, PropagationPolicy, Requester, RequestOptions } from './request.ts';

/** `uid` is there when it could be read: then the answer can be a review of its own. */
export class MalformedReview extends Error {
  readonly uid: string | undefined;

  constructor(message: string, uid?: string) {
    super(message);
    this.name = 'MalformedReview';
    this.uid = uid;
  }
}

const API_VERSION = 'admission.k8s.io/v1';
const OPERATIONS: ReadonlySet<string> = new Set<Operation>(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);
const POLICIES: ReadonlySet<string> = new Set<PropagationPolicy>(['Foreground', 'Background', 'Orphan']);

/** The request in an AdmissionReview. Throws a MalformedReview that says what is wrong. */
export function parseReview(review: unknown): AdmissionRequest {
  if (!isRecord(review)) throw new MalformedReview('the body is not an AdmissionReview');
  const apiVersion = textAt(review, 'apiVersion');
  if (apiVersion !== API_VERSION || textAt(review, 'kind') !== 'AdmissionReview') {
    throw new MalformedReview(`the body is not an AdmissionReview of ${API_VERSION}`);
  }
  const request = fieldAt(review, 'request');
  const uid = textAt(request, 'uid');
  if (uid === undefined) throw new MalformedReview('the AdmissionReview has no request.uid');
  return parseRequest(request, uid);
}

function parseRequest(request: unknown, uid: string): AdmissionRequest {
  const required = (...path: string[]): string => {
    const text = textAt(request, ...path);
    if (text === undefined) throw new MalformedReview(`request.${path.join('.')} is missing`, uid);
    return text;
  };
  const operation = required('operation');
  if (!isOperation(operation)) throw new MalformedReview('request.operation is not one we know', uid);
  return {
    uid,
    operation,
    kind: {
      group: textAt(request, 'kind', 'group') ?? '',
      version: required('kind', 'version'),
      kind: required('kind', 'kind'),
    },
    resource: {
      group: textAt(request, 'resource', 'group') ?? '',
      version: required('resource', 'version'),
      resource: required('resource', 'resource'),
    },
    ...textField(request, 'subResource'),
    ...textField(request, 'name'),
    ...textField(request, 'namespace'),
    userInfo: requesterOf(fieldAt(request, 'userInfo'), required('userInfo', 'username')),
    dryRun: isTrueAt(request, 'dryRun'),
    options: optionsOf(fieldAt(request, 'options')),
    // What is sent to a CONNECT has no metadata, and nobody asks for it.
    ...(operation === 'CONNECT' ? {} : objectsOf(request, uid)),
  };
}

function objectsOf(request: unknown, uid: string): { object?: KubeObject; oldObject?: KubeObject } {
  return { ...objectField(request, 'object', uid), ...objectField(request, 'oldObject', uid) };
}

function objectField<Field extends string>(
  request: unknown,
  field: Field,
  uid: string,
): { readonly [name in Field]?: KubeObject } {
  const value = fieldAt(request, field);
  if (value === undefined || value === null) return {};
  const object = parseObject(value);
  if (typeof object === 'string') throw new MalformedReview(`request.${field}: ${object}`, uid);
  return { [field]: object } as { readonly [name in Field]?: KubeObject };
}

function requesterOf(userInfo: unknown, username: string): Requester {
  const extra = Object.entries(recordAt(userInfo, 'extra'));
  return {
    username,
    ...textField(userInfo, 'uid'),
    groups: texts(listAt(userInfo, 'groups')),
    extra: Object.fromEntries(
      extra.map(([key, values]) => [key, texts(Array.isArray(values) ? values : [])]),
    ),
  };
}

function optionsOf(options: unknown): RequestOptions {
  const propagationPolicy = policyOf(options);
  const gracePeriodSeconds = numberAt(options, 'gracePeriodSeconds');
  const preconditions = fieldAt(options, 'preconditions');
  return {
    ...(propagationPolicy && { propagationPolicy }),
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(isRecord(preconditions) && {
      preconditions: { ...textField(preconditions, 'uid'), ...textField(preconditions, 'resourceVersion') },
    }),
  };
}

function policyOf(options: unknown): PropagationPolicy | undefined {
  const policy = textAt(options, 'propagationPolicy');
  if (policy !== undefined && isPolicy(policy)) return policy;
  // The older spelling, which the API server passes on as it came.
  const orphan = fieldAt(options, 'orphanDependents');
  if (typeof orphan !== 'boolean') return undefined;
  return orphan ? 'Orphan' : 'Background';
}

function isOperation(text: string): text is Operation {
  return OPERATIONS.has(text);
}

function isPolicy(text: string): text is PropagationPolicy {
  return POLICIES.has(text);
}

function texts(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string');
}

function textField<Field extends string>(
  value: unknown,
  field: Field,
): { readonly [name in Field]?: string } {
  const text = textAt(value, field);
  return (text === undefined ? {} : { [field]: text }) as { readonly [name in Field]?: string };
}
