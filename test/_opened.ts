interface Closable {
  close(): unknown;
}

const opened: Closable[] = [];

/** Has it closed after the tests of the file, by test/_setup.ts, unless they close it themselves. */
export function closedAfterFile<T extends Closable>(one: T): T {
  opened.push(one);
  return one;
}

/** The last is closed first. */
export function closeOpened(): void {
  for (const one of opened.splice(0).toReversed()) one.close();
}
