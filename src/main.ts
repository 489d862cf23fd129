#!/usr/bin/env node
// No static imports: Node 20 opens all modules at once, and an EMFILE error at that point, before any
// of them runs, could not be caught.

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
  if (!(error instanceof Error && 'code' in error && error.code === 'EMFILE')) throw error;
  process.stderr.write(
    'wirebin: too few file descriptors to start; raise the limit, for example with ulimit -n 1024\n',
  );
  process.exitCode = 1;
}
