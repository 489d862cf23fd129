import { spawnSync } from 'node:child_process';

/** What `test.runIf()` needs for a test by a program. Windows has no shell of POSIX in its PATH. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ['--version']).error === undefined;
}
