import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Command } from '../_suite.ts';
import type { Case } from './_case.ts';

export type Version = '1.1' | '2';

/** What a client reports of a request. */
export interface Report {
  /** Empty if there was no response. */
  readonly status: string;
  /** Bytes of content, decoded if the client decodes by default. */
  readonly received: number;
  /** In the client's words; empty if it reports none. */
  readonly error: string;
  /** What else its API shows, separated by `; `: statuses of interim responses, `trailer NAME`. Empty without any. */
  readonly seen: string;
}

export type Reports = ReadonlyMap<string, Report>;

export interface Ready {
  /** As in the title of a page: `curl 8.23.0`. */
  readonly version: string;
  /**
   * Sends each request by a client with connections of its own. That of a case with `next` sends two, and the second
   * is reported below its name with a `+`.
   *
   * @param cases by a name that the journal has, too
   */
  send(base: string, version: Version, cases: ReadonlyMap<string, Case>): Promise<Reports>;
}

/** A client was ended by a signal. */
export class Aborted extends Error {}

/** The path of a program in this folder. */
export function here(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/**
 * Programs that are given the base of all URLs and the version of HTTP, read the requests on standard input and print a
 * line for each. Its cells are separated by tabs: name, method, path, bytes of content, a field (`Expect:
 * 100-continue`, or nothing), and the method and path of a second request (`GET /healthz`, or nothing). Those of a
 * printed line are the name and the members of a report in order.
 */
export function program(version: string, command: Command): Ready {
  return {
    version,
    send: (base, http, cases) =>
      new Promise((resolve, reject) => {
        const env = { ...process.env, ...command.environment };
        const child = spawn(command.program, [...command.arguments, base, http], { env });
        let text = '';
        let errors = '';
        child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        child.stderr.setEncoding('utf8').on('data', (piece: string) => (errors += piece));
        child.once('error', reject);
        child.once('close', (code, signal) => {
          if (code === 0) resolve(parseReports(text));
          else if (signal) reject(new Aborted(`${version} ended with ${signal}: ${errors}`));
          else reject(new Error(`${version} ended with ${code}: ${errors}`));
        });
        child.stdin.end(Array.from(cases, lineOf).join(''));
      }),
  };
}

function lineOf([name, request]: readonly [name: string, request: Case]): string {
  const { method, path, length, field = '', next = '' } = request;
  const cells = [
    name,
    method,
    path.replace('KEY', name),
    length,
    field,
    next.replace('KEY', `${name}+`),
  ];
  return `${cells.join('\t')}\n`;
}

function parseReports(text: string): Reports {
  const lines = text.trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const [name = '', status = '', received, error = '', seen = ''] = line.split('\t');
      return [name, { status, received: Number(received), error: error.trim(), seen: seen.trim() }];
    }),
  );
}
