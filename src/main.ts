#!/usr/bin/env node
// Imports nothing beforehand: Node 20 opens all modules at once, and what it throws for want of file
// descriptors, before any of them runs, nobody could catch.

try {
  const { run } = await import('./cli/run.ts');
  process.exitCode = await run();
} catch (error) {
  if (!(error instanceof Error && 'code' in error && error.code === 'EMFILE')) throw error;
  process.stderr.write(
    'wirebin: this process may open too few files to start; raise its limit, such as by ulimit -n 1024\n',
  );
  process.exitCode = 1;
}
