import { basename, relative } from 'node:path';
import { isNpmStart } from './npm-start.ts';
import type { Surroundings } from './surroundings.ts';

/** How the user has called this program, before its arguments. */
export function programName({ env, argv }: Pick<Surroundings, 'env' | 'argv'>): string {
  if (isNpmStart(env)) return 'npm start --';
  const [, script = ''] = argv;
  // An installed package links to it under the name of the program.
  return basename(script) === 'main.js' ? `node ${relative('', script)}` : 'wirebin';
}
