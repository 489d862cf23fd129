import { readInvocation } from './command-line.ts';
import { helpText } from './help.ts';
import type { Sink } from '../telemetry/log-output.ts';
import { VERSION } from '../version.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { programName } from './program-name.ts';
import { serve, type OwnProcess } from './serve.ts';
import { exitSoon } from './signals.ts';
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE, type Surroundings } from './surroundings.ts';
import { isWorker } from '../cluster/is-worker.ts';
import { errorText } from '../net/error-text.ts';

/**
 * Runs the command and sets the exit code. The end of a started service sets it, maybe before this returns.
 *
 * @param logSink destination of the log. Default: standard output
 */
export async function run(process: OwnProcess, logSink?: Sink): Promise<void> {
  const code = await exitCodeOf(process, logSink);
  // What check and bench have left open, such as a connection that the target keeps, must not keep the process.
  if (code !== undefined) exitSoon(process, code);
}

async function exitCodeOf(process: OwnProcess, logSink?: Sink): Promise<number | undefined> {
  const { argv, env, stdout, stderr } = process;
  // The reader of standard output may close it. The log has its own stream.
  stdout.on('error', () => undefined);
  // Standard error may be closed as well, or its disk may be full. NODE_DEBUG=wirebin writes to it.
  stderr.on('error', () => undefined);
  try {
    const invocation = readInvocation(argv.slice(2), env, programName(process));
    switch (invocation.command) {
      case 'help':
        stdout.write(helpText());
        return EXIT_OK;
      case 'check': {
        // Loaded on demand, because serving starts sooner without it.
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
        if (isWorker()) {
          const { runWorker } = await import('../cluster/worker.ts');
          await runWorker(invocation.settings);
        } else await serve(invocation, process, logSink);
        return undefined;
    }
  } catch (error) {
    stderr.write(`wirebin: ${errorText(error)}${portHint(error, process)}\n`);
    return error instanceof SettingsError ? EXIT_USAGE : EXIT_FAILED;
  }
}

/** A hint how to choose another port, if the port is in use; otherwise empty. */
function portHint(error: unknown, { env, argv }: Surroundings): string {
  const { cause } = error instanceof Error ? error : {};
  if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) return '';
  const set = env['WIREBIN_PORT'] ? ', which overrides WIREBIN_PORT' : '';
  const other = 'port' in cause && cause.port === 9000 ? 9001 : 9000;
  return `; choose another: ${programName({ env, argv })} -p ${other}${set}`;
}
