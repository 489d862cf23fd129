import { spawn } from 'node:child_process';
import type { Command } from '../../_suite.ts';

/** A call, to a server in cleartext. */
export interface Call {
  readonly port: number;
  readonly method: string;
  readonly kind: 'unary' | 'stream';
  /** The bytes of its only message. */
  readonly request: Buffer;
  /** Lines `name: value`. */
  readonly metadata: readonly string[];
  /** Milliseconds. */
  readonly deadline: number;
}

/** What a client reports of a call. */
export interface CallReport {
  /** The number of its status, or what the client reports instead. */
  readonly code: string;
  readonly messages: number;
  readonly text: string;
  /** The values of the metadata `a-bin`, in hexadecimal, separated by commas. */
  readonly values: string;
}

export interface ReadyCaller {
  /** As in the head of a table. */
  readonly version: string;
  /** Whether the number of messages before an error depends on what the client had read by then. */
  readonly dropsMessages: boolean;
  /** @param calls by name */
  make(calls: ReadonlyMap<string, Call>): Promise<ReadonlyMap<string, CallReport>>;
}

/**
 * A program that reads calls on standard input, and prints a line for each. The cells of both are separated by tabs: the
 * name, the address, the method, the kind, the request in hexadecimal, the metadata, separated by `, `, and the
 * deadline; and the name and the members of a report in order.
 */
export function callerProgram(
  version: string,
  command: Command,
  dropsMessages = false,
): ReadyCaller {
  return {
    version,
    dropsMessages,
    make: (calls) =>
      new Promise((resolve, reject) => {
        const env = { ...process.env, ...command.environment };
        const stdio = ['pipe', 'pipe', 'ignore'] as const;
        const child = spawn(command.program, command.arguments, { env, stdio: [...stdio] });
        let text = '';
        child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        child.once('error', reject).once('close', () => resolve(parse(text)));
        child.stdin.end(Array.from(calls, ([name, call]) => lineOf(name, call)).join(''));
      }),
  };
}

function lineOf(name: string, { port, method, kind, request, metadata, deadline }: Call): string {
  const address = `127.0.0.1:${port}`;
  const cells = [name, address, method, kind, request.toString('hex'), metadata.join(', ')];
  return `${[...cells, deadline].join('\t')}\n`;
}

function parse(text: string): Map<string, CallReport> {
  const lines = text.trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const [name = '', code = '', messages, words = '', values = ''] = line.split('\t');
      return [name, { code, messages: Number(messages), text: words.trim(), values }];
    }),
  );
}
