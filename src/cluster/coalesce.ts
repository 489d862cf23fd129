/**
 * Coalesces concurrent calls: callers that arrive while a call is pending share the next one. A result
 * is therefore never older than the call that receives it.
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
