import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findProgram } from '../../../bench/processes.ts';
import { python } from '../_python.ts';
import { outputOf, type Command } from '../_suite.ts';
import { run } from '../clients/_origin.ts';
import type { Case } from './_cases.ts';

export type Version = '1.1' | '2';

/** What a client reports of a request. */
export interface Report {
  /** Empty if there was no response. */
  readonly status: string;
  /** Bytes of content. */
  readonly received: number;
  /** In the client's words; empty if it reports none. */
  readonly error: string;
}

export interface FaultClient {
  readonly name: string;
  readonly versions: readonly Version[];
  /** Makes it ready; @returns what is missing, in words for a person, or its version and how it is run */
  readonly prepare: () => Promise<string | Ready>;
}

export interface Ready {
  /** As in the head of a table: `curl 7.88.1`. */
  readonly version: string;
  /** @param cases by a name that the journal has, too */
  send(base: string, version: Version, cases: ReadonlyMap<string, Case>): Promise<Reports>;
}

export type Reports = ReadonlyMap<string, Report>;

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Programs that read the requests on standard input and print a line for each. */
function program(version: string, { program: path, arguments: args, environment }: Command): Ready {
  return {
    version,
    send: (base, http, cases) =>
      new Promise((resolve, reject) => {
        const env = { ...process.env, ...environment };
        const stdio = ['pipe', 'pipe', 'ignore'] as const;
        const child = spawn(path, [...args, base, http], { env, stdio: [...stdio] });
        let text = '';
        child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
        child.once('error', reject);
        child.once('close', () => resolve(parseReports(text)));
        const lines = Array.from(cases, ([name, { method, path: target, length }]) =>
          [name, method, target, length].join('\t'),
        );
        child.stdin.end(lines.map((line) => `${line}\n`).join(''));
      }),
  };
}

function parseReports(text: string): Reports {
  const lines = text.trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const [name = '', status = '', received, error = ''] = line.split('\t');
      return [name, { status, received: Number(received), error: error.trim() }];
    }),
  );
}

/** libcurl's names of its exit codes, those that faults can cause. */
const CURL_CODES: Readonly<Record<number, string>> = {
  0: '',
  8: '8 WEIRD_SERVER_REPLY',
  16: '16 HTTP2',
  18: '18 PARTIAL_FILE',
  28: '28 OPERATION_TIMEDOUT',
  43: '43 BAD_FUNCTION_ARGUMENT',
  52: '52 GOT_NOTHING',
  55: '55 SEND_ERROR',
  56: '56 RECV_ERROR',
  92: '92 HTTP2_STREAM',
  100: '100 TOO_LARGE',
  1: '1 UNSUPPORTED_PROTOCOL',
};

async function curl(base: string, version: Version, name: string, request: Case): Promise<Report> {
  const { method, path, length } = request;
  const args = ['--silent', '--insecure', '--max-time', '5', '--output', '/dev/null'];
  args.push(version === '2' ? '--http2' : '--http1.1', '--request', method);
  args.push('--header', `X-Wirebin-Journal: ${name}`);
  if (length > 0) args.push('--data-binary', `@${here('_cases.ts')}`);
  const { code, stdout } = await run('curl', [
    ...args,
    '--write-out',
    '%{http_code} %{size_download}',
    base + path,
  ]);
  const [status = '', received] = stdout.toString().split(' ');
  return {
    status: status === '000' ? '' : status,
    received: Number(received),
    error: CURL_CODES[code] ?? String(code),
  };
}

const needs = (what: string): string => `it needs ${what}`;

async function versionOf(command: string, args: readonly string[]): Promise<string | undefined> {
  if (findProgram(command) === undefined) return undefined;
  const { stdout, stderr } = await run(command, args);
  return /\d+(?:\.\d+)+/.exec(stdout.toString() + stderr)?.[0];
}

const pythonPackages = ['httpx[http2]==0.28.1', 'h2==4.3.0'];

function pythonClient(name: string, script: string, versions: readonly Version[]): FaultClient {
  return {
    name,
    versions,
    async prepare() {
      const environment = await python('faults', ({ pip }) => pip('install', ...pythonPackages));
      if (typeof environment === 'string') return environment;
      const pinned = pythonPackages.find((text) => text.startsWith(name.split(' ').at(-1) ?? ''));
      return program(`${name} ${pinned?.split('==')[1] ?? ''}`, {
        program: environment.program,
        arguments: [here(script)],
      });
    },
  };
}

function nodeClient(name: string, script: string, versions: readonly Version[]): FaultClient {
  return {
    name,
    versions,
    prepare: async () =>
      program(`${name} of Node ${process.version.slice(1)}`, {
        program: process.execPath,
        arguments: [here(script)],
        environment: { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' },
      }),
  };
}

export const clients: readonly FaultClient[] = [
  {
    name: 'curl',
    versions: ['1.1', '2'],
    async prepare() {
      const version = await versionOf('curl', ['--version']);
      if (version === undefined) return needs('curl');
      return {
        version: `curl ${version}`,
        async send(base, http, cases) {
          const reports = Array.from(cases, async ([name, request]) => {
            const report = await curl(base, http, name, request);
            return [name, report] as const;
          });
          return new Map(await Promise.all(reports));
        },
      };
    },
  },
  {
    name: 'Go',
    versions: ['1.1', '2'],
    async prepare() {
      const version = await versionOf('go', ['version']);
      if (version === undefined) return needs('Go');
      const path = fileURLToPath(
        new URL('../../../node_modules/.cache/foreign/go-client', import.meta.url),
      );
      await outputOf({ program: 'go', arguments: ['build', '-o', path, here('client.go')] });
      return program(`Go ${version} net/http`, { program: path, arguments: [] });
    },
  },
  nodeClient('fetch', 'fetch.mjs', ['1.1']),
  nodeClient('node:http2', 'http2.mjs', ['2']),
  pythonClient('Python httpx', 'httpx_client.py', ['1.1', '2']),
  pythonClient('Python h2', 'h2_client.py', ['2']),
  {
    name: 'Java',
    versions: ['1.1', '2'],
    async prepare() {
      const version = await versionOf('java', ['-version']);
      if (version === undefined) return needs('a JDK');
      const flags = ['-Djdk.internal.httpclient.disableHostnameVerification=true'];
      return program(`Java ${version} HttpClient`, {
        program: 'java',
        arguments: [...flags, here('Client.java')],
      });
    },
  },
];
