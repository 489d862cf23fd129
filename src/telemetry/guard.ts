/** Tells whether a value from outside is what its type says. The type comes from the guard. */
export type Guard<T> = (value: unknown) => value is T;
/** What a guard lets pass. */
export type Guarded<G> = G extends Guard<infer T> ? T : never;

export function isAnything(_value: unknown): _value is unknown {
  return true;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** A whole number from 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The one value, for what tells the members of a union apart. */
export function is<const T extends string | null>(only: T): Guard<T> {
  return (value): value is T => value === only;
}

export function isOptional<T>(guard: Guard<T>): Guard<T | undefined> {
  return (value): value is T | undefined => value === undefined || guard(value);
}

/** An object with these members; it may have others. */
export function isObject<const Shape extends Readonly<Record<string, Guard<unknown>>>>(
  shape: Shape,
): Guard<{ readonly [Name in keyof Shape]: Guarded<Shape[Name]> }> {
  const members = Object.entries(shape);
  return (value): value is { readonly [Name in keyof Shape]: Guarded<Shape[Name]> } =>
    typeof value === 'object' &&
    value !== null &&
    members.every(([name, guard]) => guard(Reflect.get(value, name)));
}

export function isList<T>(guard: Guard<T>): Guard<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(guard);
}

/** An object whose members are all of one kind, whatever their names. */
export function isMap<T>(guard: Guard<T>): Guard<Readonly<Record<string, T>>> {
  return (value): value is Readonly<Record<string, T>> =>
    typeof value === 'object' && value !== null && Object.values(value).every(guard);
}

export function isOneOf<const Guards extends readonly Guard<unknown>[]>(
  ...guards: Guards
): Guard<Guarded<Guards[number]>> {
  return (value): value is Guarded<Guards[number]> => guards.some((guard) => guard(value));
}
