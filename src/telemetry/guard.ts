/** Checks that a value from another process has type T. */
export type Guard<T> = (value: unknown) => value is T;
/** The type that a guard checks for. */
export type Guarded<G> = G extends Guard<infer T> ? T : never;

export function isUnknown(_value: unknown): _value is unknown {
  return true;
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** A non-negative integer. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** For the discriminant of a union. */
export function isLiteral<const T extends string | null>(only: T): Guard<T> {
  return (value): value is T => value === only;
}

export function isOptional<T>(guard: Guard<T>): Guard<T | undefined> {
  return (value): value is T | undefined => value === undefined || guard(value);
}

/** An object with at least these members. */
export function isObject<const Shape extends Readonly<Record<string, Guard<unknown>>>>(
  shape: Shape,
): Guard<{ readonly [Name in keyof Shape]: Guarded<Shape[Name]> }> {
  const members = Object.entries(shape);
  return (value): value is { readonly [Name in keyof Shape]: Guarded<Shape[Name]> } =>
    typeof value === 'object' &&
    value !== null &&
    members.every(([name, guard]) => guard(Reflect.get(value, name)));
}

export function isArrayOf<T>(guard: Guard<T>): Guard<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(guard);
}

/** An object with any member names and values of one type. */
export function isRecordOf<T>(guard: Guard<T>): Guard<Readonly<Record<string, T>>> {
  return (value): value is Readonly<Record<string, T>> =>
    typeof value === 'object' && value !== null && Object.values(value).every(guard);
}

export function isOneOf<const Guards extends readonly Guard<unknown>[]>(
  ...guards: Guards
): Guard<Guarded<Guards[number]>> {
  return (value): value is Guarded<Guards[number]> => guards.some((guard) => guard(value));
}
