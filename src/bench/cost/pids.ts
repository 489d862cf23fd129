import { SettingsError } from '../../settings/settings-error.ts';

/**
 * The pids that `--pid` names for a side.
 *
 * @param values of `--pid`: `PID`, or `NAME=PID` if sides have names
 * @param names of the sides; none if there is but one target
 * @returns pids by name; those without a name are below the empty one
 * @throws SettingsError
 */
export function pidsByName(
  values: readonly string[],
  names: readonly string[],
): ReadonlyMap<string, readonly number[]> {
  const all = new Map<string, number[]>();
  for (const value of values) {
    const [, name = '', pid = ''] = /^(?:(.+)=)?([1-9]\d{0,9})$/.exec(value) ?? [];
    const isKnown = names.length === 0 ? name === '' : names.includes(name);
    if (pid === '' || !isKnown) {
      const allowed = names.length === 0 ? 'PID' : names.map((each) => `${each}=PID`).join(', ');
      throw new SettingsError(`--pid cannot be '${value}'; allowed: ${allowed}`);
    }
    all.set(name, [...(all.get(name) ?? []), Number(pid)]);
  }
  return all;
}
