/**
 * Asks once for all who want to know at the same time: those that come while a question is under way
 * share the next one, so that no answer is older than the request for it.
 */
export function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let next: Promise<T> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    if (next) return next;
    next = last.then(() => {
      next = undefined;
      return ask();
    });
    last = next.catch(() => undefined);
    return next;
  };
}
