import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SettingsError } from '../settings/settings-error.ts';
import { errorText } from '../net/error-text.ts';

/** @throws SettingsError if the file cannot be read */
export function readInput(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Checks before a run that a file can be written after it. @throws SettingsError */
export function expectWritable(path: string): void {
  try {
    accessSync(existsSync(path) ? path : dirname(path), constants.W_OK);
  } catch (error) {
    throw unusable(path, error);
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new SettingsError(`${path} cannot be used: it is a folder`);
}

export function unusable(what: string, error: unknown): SettingsError {
  return new SettingsError(`${what} cannot be used: ${errorText(error)}`);
}
