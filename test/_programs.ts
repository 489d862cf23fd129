import { spawnSync } from 'node:child_process';

/** Whether a program is in the PATH, for `test.runIf()`. On Windows, `sh` is not. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ['--version']).error === undefined;
}
