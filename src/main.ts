#!/usr/bin/env node
// No static imports but of Node: Node 20 opens all modules at once, and an EMFILE error at that point, before any of
// them runs, could not be caught.
import { closeSync, openSync } from 'node:fs';

/** Descriptors with which all modules can be opened at once. */
const ENOUGH = 200;

/** Whether modules could not be opened for lack of descriptors. Packages then seem to be missing, too. */
function isShortage(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  return error.code === 'EMFILE' || (error.code === 'ERR_MODULE_NOT_FOUND' && !hasDescriptors());
}

function hasDescriptors(): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < ENOUGH) opened.push(openSync(process.execPath, 'r'));
    return true;
  } catch {
    return false;
  } finally {
    opened.forEach(closeSync);
  }
}

try {
  const [, , command, ...args] = process.argv;
  if (command === 'health' && !args.includes('--help') && !args.includes('-h')) {
    const { health } = await import('./cli/health/health.ts');
    process.exit(await health(args, process));
  }
  // Exits explicitly: Node would otherwise free what is left, and Node 26 may free an HTTP/2 session before its
  // streams. See `outliveStreams`.
  process.once('beforeExit', () => process.exit());
  const { run } = await import('./cli/run.ts');
  await run(process);
} catch (error) {
  if (!isShortage(error)) throw error;
  process.stderr.write(
    'wirebin: too few file descriptors to start; raise the limit, for example with ulimit -n 1024\n',
  );
  process.exitCode = 1;
}
