/** Enough to keep both sides busy, few enough that no request waits for long. */
export const IN_FLIGHT = 48;

/** Does the same with every item, some dozens at a time. Stops at the first failure. */
export async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, items.length) }, worker));
}
