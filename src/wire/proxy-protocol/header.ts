/**
 * Why a connection is closed because of its PROXY header: missing though required, incomplete when the client
 * disconnected, or malformed in a part of version 1 or 2.
 */
export const PROXY_HEADER_ERRORS = [
  'missing',
  'incomplete',
  'v1-too-long',
  'v1-line',
  'v1-family',
  'v1-address',
  'v1-port',
  'v2-version',
  'v2-command',
  'v2-family',
  'v2-too-long',
  'v2-address',
  'v2-tlv',
  'v2-checksum',
] as const;
export type ProxyHeaderError = (typeof PROXY_HEADER_ERRORS)[number];

/** A connection is closed because of its PROXY header. */
export class InvalidProxyHeader extends Error {
  readonly fault: ProxyHeaderError;

  constructor(fault: ProxyHeaderError) {
    super(`PROXY header: ${fault}`);
    this.fault = fault;
  }
}

/** One end of the proxied connection. */
export type ProxyEndpoint =
  | { readonly address: string; readonly port: number }
  /** An AF_UNIX path without padding, in Latin-1. */
  | { readonly path: string };

/** A type-length-value vector of version 2. */
export interface Tlv {
  readonly type: number;
  readonly value: Uint8Array;
}

/** A parsed PROXY header (HAProxy's proxy-protocol.txt, 2.1 and 2.2). */
export interface ProxyHeader {
  readonly version: 1 | 2;
  /** LOCAL: a connection of the proxy itself, such as a health check. Version 1 has only PROXY. */
  readonly command: 'PROXY' | 'LOCAL';
  readonly family: 'inet' | 'inet6' | 'unix' | 'unspec';
  readonly transport: 'stream' | 'dgram' | 'unspec';
  /** undefined, like `destination`, for LOCAL, and for unspecified families or transports. */
  readonly source: ProxyEndpoint | undefined;
  readonly destination: ProxyEndpoint | undefined;
  readonly tlvs: readonly Tlv[];
}

/** The result of parsing the bytes received so far. */
export type ProxyParseResult =
  /** Parse again when so many bytes, counted from the start, have arrived. */
  | { readonly kind: 'more'; readonly needed: number }
  | { readonly kind: 'invalid'; readonly error: ProxyHeaderError }
  /** A valid header. `length` is its length in bytes. */
  | { readonly kind: 'header'; readonly header: ProxyHeader; readonly length: number };

export const invalid = (error: ProxyHeaderError): ProxyParseResult => ({ kind: 'invalid', error });
export const needMore = (needed: number): ProxyParseResult => ({ kind: 'more', needed });
