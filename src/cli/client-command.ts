import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Streams } from '../check/streams.ts';
import { programName } from './program-name.ts';

/**
 * Runs `wirebin check` or `wirebin bench`.
 *
 * @param help returns the text of --help
 * @returns the exit code
 * @throws SettingsError
 */
export async function runClientCommand(
  args: readonly string[],
  help: () => string,
  run: (args: readonly string[], streams: Streams) => Promise<number>,
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(help());
    return 0;
  }
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => interrupted.abort());
  const code = await run(args, streamsOf(interrupted));
  // Interrupted work may still keep connections open, and so the process.
  if (interrupted.signal.aborted) process.exit(code);
  return code;
}

function streamsOf(interrupted: AbortController): Streams {
  const { stdout, stderr, stdin, env } = process;
  return {
    out: (text) => void stdout.write(text),
    error: (text) => void stderr.write(text),
    isTerminal: stdout.isTTY,
    columns: stdout.isTTY ? stdout.columns : undefined,
    errorTerminal: stderr.isTTY ? stderr : undefined,
    program: programName(process),
    environment: env,
    signal: interrupted.signal,
    ask: stdin.isTTY && stderr.isTTY ? (question) => ask(question, interrupted) : undefined,
  };
}

/** Asks the user. @returns '' if the input ends */
async function ask(question: string, interrupted: AbortController): Promise<string> {
  const input = createInterface({ input: process.stdin, output: process.stderr });
  // A terminal in raw mode sends Ctrl+C as a character, not as a signal.
  input.once('SIGINT', () => {
    interrupted.abort();
    input.close();
  });
  const closed = once(input, 'close').then(() => '');
  try {
    return await Promise.race([input.question(question), closed]);
  } catch {
    // The user pressed Ctrl+D.
    return '';
  } finally {
    input.close();
  }
}
