import { basename, relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { runCheck } from '../check/command.ts';
import { checkHelp } from '../check/help.ts';
import type { Streams } from '../check/streams.ts';

/** `wirebin check`. @returns the exit code @throws SettingsError */
export async function check(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(checkHelp());
    return 0;
  }
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort()).once('SIGTERM', () => interrupted.abort());
  const code = await runCheck(args, streamsOf(interrupted.signal));
  // What was stopped may still wait for its connections.
  if (interrupted.signal.aborted) process.exit(code);
  return code;
}

function streamsOf(signal: AbortSignal): Streams {
  const { stdout, stderr, stdin, env } = process;
  return {
    out: (text) => void stdout.write(text),
    error: (text) => void stderr.write(text),
    isTerminal: stdout.isTTY,
    errorTerminal: stderr.isTTY ? stderr : undefined,
    program: programName(),
    environment: env,
    signal,
    ask: stdin.isTTY && stderr.isTTY ? ask : undefined,
  };
}

function programName(): string {
  const { env, argv } = process;
  if (env['npm_lifecycle_event'] === 'start') return 'npm start --';
  const [, script = ''] = argv;
  // A package has a link to it with the name of the program.
  return basename(script) === 'main.js' ? `node ${relative('', script)}` : 'wirebin';
}

async function ask(question: string): Promise<string> {
  const input = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await input.question(question);
  input.close();
  return answer;
}
