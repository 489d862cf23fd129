/**
 * Why a connection is closed that has no sound PROXY header: a part of version 1 or 2 that is not as
 * the specification has it, none where one is required, or one that never came to its end.
 */
export type ProxyHeaderError =
  | 'missing'
  | 'incomplete'
  | 'v1-too-long'
  | 'v1-line'
  | 'v1-family'
  | 'v1-address'
  | 'v1-port'
  | 'v2-version'
  | 'v2-command'
  | 'v2-family'
  | 'v2-too-long'
  | 'v2-address'
  | 'v2-tlv'
  | 'v2-checksum';

/** One end of the proxied connection. */
export type ProxyEndpoint =
  | { readonly address: string; readonly port: number }
  /** An AF_UNIX path without its padding, a character a byte. */
  | { readonly path: string };

/** A type-length-value vector of version 2. */
export interface Tlv {
  readonly type: number;
  readonly value: Uint8Array;
}

/** What a PROXY header says (HAProxy's proxy-protocol.txt, 2.1 and 2.2). */
export interface ProxyHeader {
  readonly version: 1 | 2;
  /** LOCAL: the proxy speaks for itself, as in a health check; version 1 has only PROXY. */
  readonly command: 'PROXY' | 'LOCAL';
  readonly family: 'inet' | 'inet6' | 'unix' | 'unspec';
  readonly transport: 'stream' | 'dgram' | 'unspec';
  /** Both are there or neither: LOCAL and what is unspecified has none. */
  readonly source: ProxyEndpoint | undefined;
  readonly destination: ProxyEndpoint | undefined;
  readonly tlvs: readonly Tlv[];
}

/** How far the bytes at hand go. */
export type ProxyParseResult =
  /** So many bytes are needed, from the start, before another look. */
  | { readonly kind: 'more'; readonly needed: number }
  | { readonly kind: 'invalid'; readonly error: ProxyHeaderError }
  /** @param length of the header in bytes; what follows is the connection's own */
  | { readonly kind: 'header'; readonly header: ProxyHeader; readonly length: number };

export const invalid = (error: ProxyHeaderError): ProxyParseResult => ({ kind: 'invalid', error });
export const needMore = (needed: number): ProxyParseResult => ({ kind: 'more', needed });
