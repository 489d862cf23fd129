import { writeFileSync } from 'node:fs';
import { SettingsError } from '../../settings/settings-error.ts';
import { expectWritable } from '../files.ts';

/**
 * The files to write after the run. Their formats are checked before it.
 *
 * @param reports values of --report: `FORMAT=FILE`
 * @throws SettingsError
 */
export function reportWriters<R>(
  reports: readonly string[],
  formats: Readonly<Record<string, (report: R) => string>>,
): ((report: R) => void)[] {
  return reports.map((text) => {
    const at = text.indexOf('=');
    const name = text.slice(0, at);
    const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
    const path = text.slice(at + 1);
    if (at === -1 || !format || path === '') {
      const names = Object.keys(formats).join(', ');
      throw new SettingsError(`--report cannot be '${text}'; allowed: FORMAT=FILE, with ${names}`);
    }
    expectWritable(path);
    return (report) => writeFileSync(path, format(report));
  });
}
