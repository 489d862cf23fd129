import {
  goProgram,
  installedJava,
  newestJava,
  okHttpProgram,
  reqwestProgram,
  ureqProgram,
} from './_built.ts';
import {
  libcurlProgram,
  nodeProgram,
  npmProgram,
  pythonProgram,
  type Prepared,
} from './_install.ts';
import type { Version } from './_program.ts';
import {
  goVersion,
  nodeVersion,
  npmVersions,
  okHttpVersion,
  pythonVersions,
  type Age,
  type Pinned,
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
  readonly former: () => Prepared;
}

/** The current and the former version of a client. */
function ages(of: (age: Age) => Prepared): Pick<FaultClient, 'prepare' | 'former'> {
  return { prepare: () => of('current'), former: () => of('former') };
}

/** A client whose versions are known by a number. */
function versionsOf(
  pinned: Pinned,
  of: (version: string) => Prepared,
): Pick<FaultClient, 'prepare' | 'former'> {
  return ages((age) => of(pinned[age]));
}

function nodeClient(
  name: string,
  page: string,
  script: string,
  versions: readonly Version[],
): FaultClient {
  const prepared = versionsOf(nodeVersion, (release) =>
    nodeProgram(`${name} of Node ${release}`, script, release),
  );
  return { name, page, versions, ...prepared };
}

function npmClient(name: keyof typeof npmVersions, versions: readonly Version[]): FaultClient {
  const prepared = versionsOf(npmVersions[name], (version) =>
    npmProgram(name, `${name}_client.mjs`, version),
  );
  return { name, page: name, versions, ...prepared };
}

type PythonPackage = keyof typeof pythonVersions;

const pinnedPackage = (name: PythonPackage, age: Age): string =>
  `${name}==${pythonVersions[name][age]}`;

/** @param more what is installed beside it */
function pythonClient(
  name: PythonPackage,
  versions: readonly Version[],
  more: (age: Age) => readonly string[] = () => [],
): FaultClient {
  const prepared = ages((age) =>
    pythonProgram(`${name} ${pythonVersions[name][age]}`, `${name}_client.py`, [
      pinnedPackage(name, age),
      ...more(age),
    ]),
  );
  return { name, page: name, versions, ...prepared };
}

export const clients: readonly FaultClient[] = [
  {
    name: 'libcurl',
    page: 'curl',
    versions: ['1.1', '2'],
    ...versionsOf(pythonVersions.pycurl, libcurlProgram),
  },
  nodeClient('fetch', 'fetch', 'fetch_client.mjs', ['1.1']),
  nodeClient('node:http', 'node-http', 'http_client.mjs', ['1.1']),
  nodeClient('node:http2', 'node-http2', 'http2_client.mjs', ['2']),
  npmClient('undici', ['1.1', '2']),
  npmClient('got', ['1.1', '2']),
  npmClient('axios', ['1.1', '2']),
  pythonClient('httpx', ['1.1', '2'], (age) => [
    pinnedPackage('httpcore', age),
    pinnedPackage('h11', age),
    pinnedPackage('h2', 'current'),
  ]),
  pythonClient('aiohttp', ['1.1']),
  {
    name: 'requests',
    page: 'requests',
    versions: ['1.1'],
    ...ages((age) => {
      const { requests, urllib3 } = pythonVersions;
      const version = `requests ${requests[age]}, urllib3 ${urllib3[age]}`;
      const packages = [pinnedPackage('requests', age), pinnedPackage('urllib3', age)];
      return pythonProgram(version, 'requests_client.py', packages);
    }),
  },
  pythonClient('h2', ['2']),
  {
    name: 'Go net/http',
    page: 'go',
    versions: ['1.1', '2'],
    ...versionsOf(goVersion, goProgram),
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
    ...versionsOf(okHttpVersion, okHttpProgram),
  },
  { name: 'reqwest', page: 'reqwest', versions: ['1.1', '2'], ...ages(reqwestProgram) },
  { name: 'ureq', page: 'ureq', versions: ['1.1'], ...ages(ureqProgram) },
];
