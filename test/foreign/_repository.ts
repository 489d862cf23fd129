import { existsSync } from 'node:fs';
import { outputOf } from './_suite.ts';

/**
 * Clones a repository where it is not there yet.
 *
 * @param commit what is checked out
 * @param path a file or directory of it
 */
export async function clone(
  repository: string,
  commit: string,
  path: string,
  directory: string,
): Promise<void> {
  if (existsSync(`${directory}/${path}`)) return;
  await outputOf({ program: 'git', arguments: ['clone', '--quiet', repository, directory] });
  await outputOf({ program: 'git', arguments: ['-C', directory, 'checkout', '--quiet', commit] });
}
