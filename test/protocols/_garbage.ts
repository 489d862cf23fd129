import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Runs the garbage collector, which Node has not without a flag. */
export const collectGarbage = runInNewContext('gc') as () => void;
