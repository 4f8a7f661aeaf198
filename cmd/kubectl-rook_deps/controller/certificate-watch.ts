import { Reflector, type ReflectorPorts } from '#pkg/cache';
import type { GroupKind } from '#pkg/object';
import type { Component } from '#pkg/runtime';

const SECRET: GroupKind = { group: '', kind: 'Secret' };
const CONFIGURATION: GroupKind = {
  group: 'admissionregistration.k8s.io',
  kind: 'ValidatingWebhookConfiguration',
};

/** Says when somebody has changed the webhook's certificates, or what the API server trusts: it must not take minutes. */
export function certificateWatch(
  { secret, namespace, configuration }: { secret: string; namespace: string; configuration: string },
  changed: () => void,
  ports: ReflectorPorts,
): Component {
  // One object each: we may see no others.
  const follow = (kind: GroupKind, name: string, where?: string): Reflector<true> => {
    const reflector = new Reflector<true>(
      {
        kind,
        namespace: where,
        detail: 'metadata',
        fieldSelector: `metadata.name=${name}`,
        project: () => true,
        indexes: {},
      },
      ports,
    );
    reflector.store.onChange(changed);
    return reflector;
  };
  const reflectors = [follow(SECRET, secret, namespace), follow(CONFIGURATION, configuration)];
  return {
    name: 'watches of certificates',
    async run(signal) {
      await Promise.all(reflectors.map((reflector) => reflector.run(signal)));
    },
  };
}
