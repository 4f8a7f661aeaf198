/** Something that must hold for the program to be alive, or ready. */
export interface HealthCheck {
  readonly name: string;
  /** What is wrong, in a few words, or undefined. */
  problem(): string | undefined;
}

/** A check that holds until it is closed, for good. */
export interface Gate extends HealthCheck {
  close(): void;
}

/** Open at first. The last act of a program that is ready is to close it. */
export function gate(name: string, whenClosed: string): Gate {
  let isOpen = true;
  return {
    name,
    problem: () => (isOpen ? undefined : whenClosed),
    close: () => {
      isOpen = false;
    },
  };
}

/** One line per failing check, `name: problem`; a check that throws is a failing one. */
export function failing(checks: readonly HealthCheck[]): readonly string[] {
  return checks.flatMap((check) => {
    const problem = problemOf(check);
    return problem === undefined ? [] : [`${check.name}: ${problem}`];
  });
}

function problemOf(check: HealthCheck): string | undefined {
  try {
    return check.problem();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
