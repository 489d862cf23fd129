/** What differs between what was said and what was recorded, each with its place. */
export function differencesOf(place: string, said: unknown, recorded: unknown): string[] {
  if (Object.is(said, recorded)) return [];
  if (!isObject(said) || !isObject(recorded) || Array.isArray(said) !== Array.isArray(recorded)) {
    return [`${place}: said ${shown(said)}, recorded ${shown(recorded)}`];
  }
  const names = new Set([...Object.keys(said), ...Object.keys(recorded)]);
  return [...names].flatMap((name) =>
    differencesOf(`${place}.${name}`, said[name], recorded[name]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 200 ? `${text.slice(0, 200)}… (${text.length})` : text;
}

/** A copy without some members, at the first level. */
export function without(
  value: Readonly<Record<string, unknown>>,
  ...names: readonly string[]
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
