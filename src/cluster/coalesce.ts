/**
 * Coalesces concurrent calls: those during a call share the next one. So a result is never older than the call that
 * gets it.
 */
export function coalesce<T>(call: () => Promise<T>): () => Promise<T> {
  let next: Promise<T> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    if (next) return next;
    next = last.then(() => {
      next = undefined;
      return call();
    });
    last = next.catch(() => undefined);
    return next;
  };
}
