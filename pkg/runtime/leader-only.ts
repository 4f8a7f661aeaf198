import type { Component } from './component.ts';
import type { LeaderElector } from './leader-election.ts';
import { runComponents, type RunOptions } from './run-components.ts';

/** A component that runs others while it leads. The lease is given back after all of them have ended. */
export function leaderOnly(
  elector: LeaderElector,
  components: readonly Component[],
  options: RunOptions,
): Component {
  return {
    name: 'leader',
    run: (signal) => elector.run(signal, (leading) => runComponents(components, options, leading)),
  };
}
