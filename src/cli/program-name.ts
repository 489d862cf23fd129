import { basename, relative } from 'node:path';
import { isNpmStart } from './npm-start.ts';

/** How the user has called this program: what its arguments follow. */
export function programName(): string {
  const { env, argv } = process;
  if (isNpmStart(env)) return 'npm start --';
  const [, script = ''] = argv;
  // A package has a link to it with the name of the program.
  return basename(script) === 'main.js' ? `node ${relative('', script)}` : 'wirebin';
}
