import { fileURLToPath } from 'node:url';
import { findProgram } from '../../../bench/processes.ts';
import { run } from '../clients/_origin.ts';
import { outputOf } from '../_suite.ts';
import { nodeProgram, npmProgram, pythonProgram, type Prepared } from './_install.ts';
import { here, program, type Version } from './_program.ts';
import { LIBCURL, nodeVersion, npmVersions, pythonVersions } from './_versions.ts';

/** A client with a page of its own. */
export interface FaultClient {
  /** As in the text of its page: `node:http`. */
  readonly name: string;
  /** The name of its page in docs/measured/clients/, without `.md`. */
  readonly page: string;
  readonly versions: readonly Version[];
  readonly prepare: () => Prepared;
  /** The version before, of which the page says what has changed. */
  readonly former?: () => Prepared;
}

const needs = (what: string): string => `it needs ${what}`;

async function versionOf(command: string, args: readonly string[]): Promise<string | undefined> {
  if (findProgram(command) === undefined) return undefined;
  const { stdout, stderr } = await run(command, args);
  return /\d+(?:\.\d+)+/.exec(stdout.toString() + stderr)?.[0];
}

function nodeClient(
  name: string,
  page: string,
  script: string,
  versions: readonly Version[],
): FaultClient {
  const of = (release: string): Prepared =>
    nodeProgram(`${name} of Node ${release}`, script, release);
  const prepare = (): Prepared => of(nodeVersion.current);
  return { name, page, versions, prepare, former: () => of(nodeVersion.former) };
}

function npmClient(name: keyof typeof npmVersions, versions: readonly Version[]): FaultClient {
  const pinned: { current: string; former?: string } = npmVersions[name];
  const of = (version: string): Prepared => npmProgram(name, `${name}_client.mjs`, version);
  const { current, former } = pinned;
  return {
    name,
    page: name,
    versions,
    prepare: () => of(current),
    ...(former !== undefined && { former: () => of(former) }),
  };
}

function pythonClient(
  name: keyof typeof pythonVersions,
  versions: readonly Version[],
  packagesOf: (version: string) => readonly string[] = (version) => [`${name}==${version}`],
): FaultClient {
  const pinned: { current: string; former?: string } = pythonVersions[name];
  const of = (version: string): Prepared =>
    pythonProgram(name, `${name}_client.py`, version, packagesOf(version));
  const { current, former } = pinned;
  return {
    name,
    page: name,
    versions,
    prepare: () => of(current),
    ...(former !== undefined && { former: () => of(former) }),
  };
}

export const clients: readonly FaultClient[] = [
  {
    name: 'libcurl',
    page: 'curl',
    versions: ['1.1', '2'],
    async prepare() {
      const { current } = pythonVersions.pycurl;
      const prepared = await pythonProgram('pycurl', 'curl_client.py', current);
      return typeof prepared === 'string' ? prepared : { ...prepared, version: LIBCURL };
    },
  },
  nodeClient('fetch', 'fetch', 'fetch_client.mjs', ['1.1']),
  nodeClient('node:http', 'node-http', 'http_client.mjs', ['1.1']),
  nodeClient('node:http2', 'node-http2', 'http2_client.mjs', ['2']),
  npmClient('undici', ['1.1', '2']),
  npmClient('got', ['1.1', '2']),
  npmClient('axios', ['1.1', '2']),
  pythonClient('httpx', ['1.1', '2'], (version) => [
    `httpx[http2]==${version}`,
    `h2==${pythonVersions.h2.current}`,
  ]),
  pythonClient('aiohttp', ['1.1']),
  pythonClient('requests', ['1.1']),
  pythonClient('h2', ['2']),
  {
    name: 'Go net/http',
    page: 'go',
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
  {
    name: 'java.net.http',
    page: 'java',
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
