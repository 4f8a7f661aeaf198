import { findHeld, findMarked, nameOf } from '#pkg/install';
import type { Gap, KubeObject } from '#pkg/object';
import { ok, warning, type Check, type CheckPorts, type Finding } from './check.ts';
import { allReasons, isExplained, NO_REASONS } from './label-reasons.ts';
import { isServed } from './served-finalizers.ts';

const SECTION = 'Traces';
const MAX_NAMED = 3;

/** Labels and finalizers of ours that nobody will ever take away; `isPresent`: we are, or may be, there to do it. */
export function leftoverChecks(isPresent: boolean, ports: CheckPorts): readonly Check[] {
  const { reader, types } = ports;
  return [
    {
      section: SECTION,
      title: 'no label of ours is without a reason',
      async look(signal) {
        const { objects, gaps } = await findMarked(reader, signal);
        const reasons = isPresent ? await allReasons(ports, signal) : NO_REASONS;
        const orphans =
          reasons.gaps.length > 0 ? [] : objects.filter((object) => !isExplained(object, reasons));
        const hint = isPresent
          ? 'the controller takes off within the hour what no protection wants; is it running?'
          : 'kubectl rook-deps uninstall --force takes them off';
        return told(orphans, [...gaps, ...reasons.gaps], hint);
      },
    },
    {
      section: SECTION,
      title: 'no finalizer of ours is without a controller',
      async look(signal) {
        const own = (await types(signal)).all().filter(({ group }) => group === 'rook-deps.io');
        const { objects, gaps } = await findHeld(reader, own, signal);
        if (!isPresent) return told(objects, gaps, 'kubectl rook-deps uninstall --force takes them off');
        const orphans = objects.filter((object) => !object.metadata.finalizers?.every(isServed(object)));
        return told(
          orphans,
          gaps,
          'nobody will: kubectl edit them, and take off what begins with rook-deps.io/',
        );
      },
    },
  ];
}

function told(orphans: readonly KubeObject[], gaps: readonly Gap[], hint: string): Finding {
  if (orphans.length > 0) {
    const named = orphans.slice(0, MAX_NAMED).map(nameOf).join(', ');
    const more = orphans.length > MAX_NAMED ? ` and ${orphans.length - MAX_NAMED} more` : '';
    return warning(`${named}${more}`, hint);
  }
  const [gap] = gaps;
  return gap
    ? warning(`not looked at: ${gap.what}: ${gap.reason}`, 'you lack rights to list everything')
    : ok();
}
