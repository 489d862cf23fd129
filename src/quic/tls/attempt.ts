/** The result of a call to node:crypto; undefined if it throws, as it does for keys and certificates that it cannot decode. */
export function attempt<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
