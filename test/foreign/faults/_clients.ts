import { crateProgram, goProgram, installedJava, newestJava, okHttpProgram } from './_built.ts';
import { nodeProgram, npmProgram, pythonProgram, type Prepared } from './_install.ts';
import type { Version } from './_program.ts';
import {
  goVersion,
  LIBCURL,
  nodeVersion,
  npmVersions,
  okHttpVersion,
  pythonVersions,
} from './_versions.ts';

/** A client with a page of its own. */
export interface FaultClient {
  /** As in the text of its page: `node:http`. */
  readonly name: string;
  /** The name of its page in docs/measured/clients/, without `.md`. */
  readonly page: string;
  readonly versions: readonly Version[];
  readonly prepare: () => Prepared;
  /** An earlier version, whose differences the page lists. */
  readonly former?: () => Prepared;
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
    prepare: () => goProgram(goVersion.current),
    former: () => goProgram(goVersion.former),
  },
  {
    name: 'java.net.http',
    page: 'java',
    versions: ['1.1', '2'],
    prepare: newestJava,
    former: installedJava,
  },
  {
    name: 'OkHttp',
    page: 'okhttp',
    versions: ['1.1', '2'],
    prepare: () => okHttpProgram(okHttpVersion.current),
    former: () => okHttpProgram(okHttpVersion.former),
  },
  {
    name: 'reqwest',
    page: 'reqwest',
    versions: ['1.1', '2'],
    prepare: () => crateProgram('reqwest'),
  },
  { name: 'ureq', page: 'ureq', versions: ['1.1'], prepare: () => crateProgram('ureq') },
];
