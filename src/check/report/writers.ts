import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SettingsError } from '../../settings/settings-error.ts';
import { expectWritable, unusable } from '../files.ts';

/** The text of a file, or the texts of the files of a folder by their names. */
type Written = string | ReadonlyMap<string, string>;

/**
 * The files to write after the run. Their formats are checked before it, and folders are made.
 *
 * @param reports values of --report: `FORMAT=FILE`
 * @param folders formats that write several files
 * @throws SettingsError
 */
export function reportWriters<R>(
  reports: readonly string[],
  formats: Readonly<Record<string, (report: R) => string>>,
  folders: Readonly<Record<string, (report: R) => ReadonlyMap<string, string>>> = {},
): ((report: R) => void)[] {
  const all: Readonly<Record<string, (report: R) => Written>> = { ...formats, ...folders };
  return reports.map((text) => {
    const at = text.indexOf('=');
    const name = text.slice(0, at);
    const format = Object.hasOwn(all, name) ? all[name] : undefined;
    const path = text.slice(at + 1);
    if (at === -1 || !format || path === '') {
      const names = Object.keys(all).join(', ');
      throw new SettingsError(`--report cannot be '${text}'; allowed: FORMAT=FILE, with ${names}`);
    }
    if (Object.hasOwn(folders, name)) makeFolder(path);
    else expectWritable(path);
    return (report) => write(path, format(report));
  });
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw unusable(path, error);
  }
}

function write(path: string, written: Written): void {
  if (typeof written === 'string') writeFileSync(path, written);
  else for (const [name, text] of written) writeFileSync(join(path, name), text);
}
