import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

const collect = runInNewContext('gc') as () => void;

/** Runs the garbage collector, which Node has not without a flag. */
export function collectGarbage(): void {
  collect();
  // Another thread frees what array buffers held. The next collection waits for it.
  collect();
}

/** Bytes in use, without garbage. */
export function bytesInUse(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
