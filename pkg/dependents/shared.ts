/**
 * One question of a kind at a time. Who asks while one is under way shares the next, for the first may have begun before
 * what he must know of.
 */
export function shared<Q, A>(
  ask: (question: Q, signal: AbortSignal) => Promise<A>,
  keyOf: (question: Q) => string,
  limitMs: number,
): (question: Q) => Promise<A> {
  const underWay = new Map<string, Promise<unknown>>();
  const following = new Map<string, Promise<A>>();

  function begin(key: string, question: Q): Promise<A> {
    const answer = ask(question, AbortSignal.timeout(limitMs));
    const ended = answer
      .catch(() => undefined)
      .then(() => {
        if (underWay.get(key) === ended) underWay.delete(key);
      });
    underWay.set(key, ended);
    return answer;
  }

  return (question) => {
    const key = keyOf(question);
    const next = following.get(key);
    if (next) return next;
    const before = underWay.get(key);
    if (!before) return begin(key, question);
    const follower = before.then(() => {
      following.delete(key);
      return begin(key, question);
    });
    following.set(key, follower);
    return follower;
  };
}
