/** A request, as a row of the tables in docs/measured/clients/. */
export interface Case {
  /** The path and query; KEY in it is replaced by the name of the case. */
  readonly path: string;
  readonly method: 'GET' | 'POST';
  /** Bytes of content. */
  readonly length: number;
  /** Whether it needs TLS; otherwise HTTP/1.1 is tried in cleartext. */
  readonly tls: boolean;
  /** What the table says instead of method and path. */
  readonly label?: string;
  /** `Name: value` of a field. */
  readonly field?: string;
  /** Method and path of a second request of the same client, after the first one. */
  readonly next?: string;
  /** Whether the content is an echo, whose length differs with each run. */
  readonly isEcho?: boolean;
  /** Whether the table says if the content was sent, and when the response began. */
  readonly isExpect?: boolean;
  /** The origin that serves it: wirebin by default, or one of _scripted.ts. */
  readonly origin?: Scripted;
}

/** Frames on HTTP/2, or a connection that begins with SETTINGS_MAX_CONCURRENT_STREAMS of 0. */
export type Scripted = 'frames' | 'no streams';

export function get(path: string, more: Partial<Case> = {}): Case {
  return { path, method: 'GET', length: 0, tls: false, ...more };
}

export function post(path: string, length = 10, more: Partial<Case> = {}): Case {
  return { path, method: 'POST', length, tls: false, ...more };
}
