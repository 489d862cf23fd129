import {
  Flag,
  frame,
  FrameType,
  PREFACE,
  uint32,
  type RawFrame,
} from '../../../src/wire/http2/frame.ts';
import { literals } from '../../../src/wire/http2/hpack-encoder.ts';
import type { DIFFERENCES } from '../../_engine.ts';
import { target, type Lines } from './messages.ts';

/** A way in which wirebin's own frames treat a client differently from node:http2. */
export interface Difference {
  readonly name: string;
  /** The row of docs/limits.md that tells users. */
  readonly row: (typeof DIFFERENCES)[number];
  /** What differs: the end of the connection, or what came on a stream. */
  readonly of: 'connection' | 'stream';
  /** What each engine does, as text of an `Outcome`. Omitted: anything, because the other has ended before. */
  readonly node?: RegExp;
  readonly wirebin?: RegExp;
  /** Whether the client has to have sent such a frame. */
  readonly sent?: (frame: RawFrame) => boolean;
  /** Whether wirebin has to have sent GOAWAY with NO_ERROR before. */
  readonly isClosing?: true;
  /** Whether both have to have sent as many bytes of content. */
  readonly isOfSameLength?: true;
  /** What decides it for wirebin. */
  readonly section: string;
  readonly why: string;
  /** What a client sends after the preface and SETTINGS. */
  readonly example: readonly Buffer[];
  /** Whether each part is sent at once; otherwise when the service has nothing more to send. */
  readonly isInPieces?: true;
  /** The payload of the SETTINGS; empty by default. */
  readonly settings?: Buffer;
  /** The first and the last major version of Node that do otherwise; omitted for all. */
  readonly sinceNode?: number;
  readonly untilNode?: number;
}

/** The preface and SETTINGS. */
export const opening = (settings?: Buffer): Buffer =>
  Buffer.concat([PREFACE, frame(FrameType.settings, 0, 0, settings)]);

/** HEADERS with a complete block. */
export function headers(stream: number, isEnd: boolean, lines: Lines): Buffer {
  const block = literals(lines.map(([name, value]) => [name, value]));
  return frame(FrameType.headers, Flag.endHeaders | Number(isEnd), stream, block);
}

/** A request. @param path `/hold` has no response */
export function request(method: string, path: string, stream: number, ...more: Lines): Buffer {
  const isEnd = method === 'GET';
  return headers(stream, isEnd, target(method, path).concat(more));
}

export const get = (path: string, stream = 1): Buffer => request('GET', path, stream);
export const post = (path: string, stream = 1, ...more: Lines): Buffer =>
  request('POST', path, stream, ...more);

export function data(stream: number, isEnd: boolean, content: string): Buffer {
  return frame(FrameType.data, Number(isEnd), stream, Buffer.from(content));
}

export const reset = (stream: number): Buffer => frame(FrameType.rstStream, 0, stream, uint32(8));

/** Each frame in two parts, of which the first ends within its header. */
export const halves = (...frames: readonly Buffer[]): Buffer[] =>
  frames.flatMap((bytes) => [bytes.subarray(0, 4), bytes.subarray(4)]);
