import { readInvocation } from './command-line.ts';
import { helpText } from './help.ts';
import type { Sink } from '../telemetry/log-output.ts';
import { VERSION } from '../version.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { programName } from './program-name.ts';
import { serve, type OwnProcess } from './serve.ts';
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE, type Surroundings } from './surroundings.ts';
import { isWorker, runWorker } from '../cluster/worker.ts';
import { errorText } from '../net/error-text.ts';

/**
 * Sets the exit code, unless it starts a service, whose end sets it: that may come while this is still starting.
 *
 * @param logSink what the log is written to; default: standard output
 */
export async function run(process: OwnProcess, logSink?: Sink): Promise<void> {
  const code = await exitCodeOf(process, logSink);
  if (code !== undefined) process.exitCode = code;
}

async function exitCodeOf(process: OwnProcess, logSink?: Sink): Promise<number | undefined> {
  const { argv, env, stdout, stderr } = process;
  // The reader of standard output may close it. The log uses a stream of its own.
  stdout.on('error', () => undefined);
  // So may that of standard error, or the disk be full; NODE_DEBUG=wirebin writes there.
  stderr.on('error', () => undefined);
  try {
    const invocation = readInvocation(argv.slice(2), env);
    switch (invocation.command) {
      case 'help':
        stdout.write(helpText());
        return EXIT_OK;
      case 'check': {
        // Serving needs nothing of it, and starts sooner without.
        const { check } = await import('./check.ts');
        return await check(invocation.args);
      }
      case 'bench': {
        const { bench } = await import('./bench.ts');
        return await bench(invocation.args);
      }
      case 'completion': {
        const { completion } = await import('./completion/completion.ts');
        stdout.write(completion(invocation.args));
        return EXIT_OK;
      }
      case 'version':
        stdout.write(`${VERSION}\n`);
        return EXIT_OK;
      case 'serve':
        if (isWorker()) await runWorker(invocation.settings);
        else await serve(invocation, process, logSink);
        return undefined;
    }
  } catch (error) {
    stderr.write(`wirebin: ${errorText(error)}${portHint(error, process)}\n`);
    return error instanceof SettingsError ? EXIT_USAGE : EXIT_FAILED;
  }
}

/** How to choose another port if this one is in use. */
function portHint(error: unknown, { env, argv }: Surroundings): string {
  const { cause } = error instanceof Error ? error : {};
  if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) return '';
  const set = env['WIREBIN_PORT'] ? ', which overrides WIREBIN_PORT' : '';
  const other = 'port' in cause && cause.port === 9000 ? 9001 : 9000;
  return `; choose another: ${programName({ env, argv })} -p ${other}${set}`;
}
