import type { Outcome, READERS } from './reading.ts';

/** A way in which wirebin reads HTTP/1.x differently from other readers. */
export interface Difference {
  readonly name: string;
  readonly wirebin: 'accepts' | 'refuses';
  /** What the readers that differ do; the others do as wirebin does. */
  readonly readers: Readonly<Partial<Record<(typeof READERS)[number], Outcome>>>;
  /** What decides it for wirebin. */
  readonly section: string;
  readonly why: string;
  /** Finds it in the bytes of a connection, in latin1. */
  readonly input: RegExp;
  /** The bytes of a connection up to its last request. */
  readonly example: string;
  /** The version of llhttp from which on it does otherwise than here. */
  readonly untilLlhttp?: string;
}

/** A complete request with content that the echo shows. */
export function post(line: string, lines: string, content = ''): string {
  return `${line}\r\nHost: x\r\n${lines}\r\n${content}`;
}

export const LINE = 'POST /anything HTTP/1.1';
export const GET_LINE = 'GET /anything HTTP/1.1';
export const LENGTH = 'Content-Length: 5\r\n';
export const CHUNKED = 'Transfer-Encoding: chunked\r\n';
export const chunk = (line: string, trailers = ''): string =>
  post(LINE, CHUNKED, `${line}\r\nhello\r\n0\r\n${trailers}\r\n`);
export const host = (value: string): string => `${GET_LINE}\r\nHost:${value}\r\n\r\n`;
