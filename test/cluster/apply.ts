import { isTrueAt, listAt, textAt, type KubeObject } from '#pkg/object';
import { get, send, type Access } from '../../scripts/controlplane/index.ts';

const USER_AGENT = 'rook-deps-test';

interface ServedKind {
  readonly plural: string;
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
}

/** Server-side applies objects in their order: first all but the status, then the status where it is a subresource. */
export async function applyTo(
  access: Access,
  objects: readonly object[],
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const kindsOf = new Map<string, Promise<ReadonlyMap<string, ServedKind>>>();
  const stored: KubeObject[] = [];
  for (const object of objects) {
    const apiVersion = textAt(object, 'apiVersion') ?? '';
    const kinds = kindsOf.get(apiVersion) ?? servedKinds(access, apiVersion, signal);
    kindsOf.set(apiVersion, kinds);
    const kind = (await kinds).get(textAt(object, 'kind') ?? '');
    if (!kind) throw new Error(`cannot apply ${nameOf(object)}: its kind is not served`);
    stored.push(await applyOne(access, object, kind, signal));
  }
  return stored;
}

async function applyOne(
  access: Access,
  object: object,
  kind: ServedKind,
  signal: AbortSignal,
): Promise<KubeObject> {
  const path = pathOf(object, kind);
  if (!kind.hasStatus) return patch(access, path, object, signal);
  // The API server ignores a status here, and all but the status there.
  const stored = await patch(access, path, without(object, 'status'), signal);
  return 'status' in object ? patch(access, `${path}/status`, without(object, 'spec'), signal) : stored;
}

async function patch(access: Access, path: string, object: object, signal: AbortSignal): Promise<KubeObject> {
  const query = '?fieldManager=test&force=true&fieldValidation=Strict';
  const body = { type: 'application/apply-patch+yaml', text: JSON.stringify(object) };
  const request = { method: 'PATCH', path: path + query, userAgent: USER_AGENT, body } as const;
  const answer = await send(access, request, signal);
  if (answer.status >= 300)
    throw new Error(`cannot apply ${nameOf(object)}: ${textAt(JSON.parse(answer.body), 'message')}`);
  return JSON.parse(answer.body) as KubeObject;
}

async function servedKinds(
  access: Access,
  apiVersion: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ServedKind>> {
  const { status, body } = await get(access, rootOf(apiVersion), USER_AGENT, signal);
  if (status !== 200) throw new Error(`cannot discover ${apiVersion}: ${status} ${body}`);
  const resources = listAt(JSON.parse(body), 'resources');
  const names = new Set(resources.map((resource) => textAt(resource, 'name') ?? ''));
  const plurals = resources.filter((resource) => !textAt(resource, 'name')?.includes('/'));
  return new Map(
    plurals.map((resource) => {
      const plural = textAt(resource, 'name') ?? '';
      const namespaced = isTrueAt(resource, 'namespaced');
      return [
        textAt(resource, 'kind') ?? '',
        { plural, namespaced, hasStatus: names.has(`${plural}/status`) },
      ];
    }),
  );
}

function rootOf(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function pathOf(object: object, { plural, namespaced }: ServedKind): string {
  const scope = namespaced ? `/namespaces/${textAt(object, 'metadata', 'namespace') ?? 'default'}` : '';
  const name = encodeURIComponent(textAt(object, 'metadata', 'name') ?? '');
  return `${rootOf(textAt(object, 'apiVersion') ?? '')}${scope}/${plural}/${name}`;
}

function without(object: object, field: string): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== field));
}

function nameOf(object: object): string {
  return `${textAt(object, 'kind')} "${textAt(object, 'metadata', 'name')}"`;
}
