import { NODE } from '#pkg/drain';
import { Kinds, textAt, UserError, type KubeObject, type Reader } from '#pkg/object';
import { nearest } from '../suggestion.ts';

/** The node of that name, or a refusal that says what was meant, perhaps. */
export async function findNode(word: string, reader: Reader, signal: AbortSignal): Promise<KubeObject> {
  const name = word.replace(/^(nodes?|no)\//, '');
  if (name.includes('/')) throw new UserError(`error: "${word}" is not a node; NODE is the name of one`);
  const node = await reader.get(NODE, undefined, name, signal);
  if (node) return node;
  const message = `Error from server (NotFound): nodes "${name}" not found`;
  throw new UserError(`${message}${await hint(name, reader, signal)}`);
}

async function hint(name: string, reader: Reader, signal: AbortSignal): Promise<string> {
  const { items: deployments } = await reader.list({ kind: Kinds.Deployment, detail: 'object' }, signal);
  const deployment = deployments.find(({ metadata }) => metadata.name === name);
  if (deployment) {
    const place = textAt(deployment, 'spec', 'template', 'spec', 'nodeSelector', 'kubernetes.io/hostname');
    const where = place ? `; its pod runs on ${place}` : '';
    return `\n"${name}" is a Deployment, and maintenance is for whole nodes${where}.`;
  }
  const { items: nodes } = await reader.list({ kind: NODE, detail: 'metadata' }, signal);
  const names = nodes.map(({ metadata }) => metadata.name).sort();
  const near =
    nearest(name, names) ?? names.find((other) => other.startsWith(name) || other.split('.')[0] === name);
  if (near) return `\n\nDid you mean this?\n\t${near}`;
  return names.length > 0 && names.length <= 10 ? `\nThe nodes are: ${names.join(', ')}.` : '';
}
