import { basename, relative } from 'node:path';
import { isNpmStart } from './npm-start.ts';
import type { Surroundings } from './surroundings.ts';

/** How the user has called this program: what its arguments follow. */
export function programName({ env, argv }: Pick<Surroundings, 'env' | 'argv'>): string {
  if (isNpmStart(env)) return 'npm start --';
  const [, script = ''] = argv;
  // A package has a link to it with the name of the program.
  return basename(script) === 'main.js' ? `node ${relative('', script)}` : 'wirebin';
}
