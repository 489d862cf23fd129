import { expect, test } from 'vitest';
import type { Http2Reader } from '../../../src/inspect/http2/http2-reader.ts';
import { ErrorCode } from '../../../src/wire/http2/names.ts';
import { goaway } from '../../../src/wire/http2/frame.ts';
import * as h2 from '../../_frames.ts';
import { http2Reader } from './_reader.ts';

const ACK = h2.frame(h2.SETTINGS, h2.ACK, 0);
const LATE = h2.frame(h2.DATA, 0, 1, Buffer.alloc(1));
const EMPTY_INCREMENT = h2.frame(h2.WINDOW_UPDATE, 0, 1, h2.uint32(0));
const MAX_CONCURRENT_STREAMS = 3;
const NO_RFC7540_PRIORITIES = 9;
const FRAME_SIZE_ERROR = 6;

const setting = (id: number, value: number): Buffer =>
  h2.frame(h2.SETTINGS, 0, 0, Buffer.concat([Buffer.from([0, id]), h2.uint32(value)]));

const reset = (stream: number, code: number): Buffer =>
  h2.frame(h2.RST_STREAM, 0, stream, h2.uint32(code));

/** A reader of a connection whose client may open one stream. */
function opened(): Http2Reader {
  const reader = http2Reader();
  reader.received(h2.OPENING, 0);
  reader.sent(Buffer.concat([setting(MAX_CONCURRENT_STREAMS, 1), ACK]), 0);
  reader.received(ACK, 0);
  return reader;
}

const scopesOf = (reader: Http2Reader, stream: number): string[] | undefined =>
  reader.stream(stream)?.refusalReasons.map(({ scope }) => scope);

test.each<[string, number, Buffer, number]>([
  ['DATA after END_STREAM', 1, LATE, ErrorCode.streamClosed],
  ['HEADERS after END_STREAM', 1, h2.get(1, '/'), ErrorCode.streamClosed],
  ['PRIORITY of a wrong length', 1, h2.frame(h2.PRIORITY, 0, 1), FRAME_SIZE_ERROR],
  ['a stream above the limit', 3, h2.get(3, '/'), ErrorCode.refusedStream],
])('%s is an error of its stream if the server resets that', (_, stream, sent, code) => {
  const reader = opened();
  reader.received(Buffer.concat([h2.get(1, '/'), sent]), 0);
  expect(reader.summary().connectionError).toBeDefined();
  expect(scopesOf(reader, stream)).toEqual(['connection']);
  reader.sent(reset(stream, code), 0);
  expect(reader.summary().connectionError).toBeUndefined();
  expect(reader.errorFrame()).toBeUndefined();
  expect(scopesOf(reader, stream)).toEqual(['stream']);
});

test('what follows on a stream that the server has reset is no error', () => {
  const reader = opened();
  reader.received(h2.get(1, '/'), 0);
  reader.sent(reset(1, ErrorCode.cancel), 0);
  reader.received(Buffer.concat([LATE, h2.get(1, '/')]), 0);
  expect(reader.summary().connectionError).toBeUndefined();
  expect(scopesOf(reader, 1)).toEqual([]);
});

test('the error of the connection is the first one that the server has not reset a stream for', () => {
  const reader = opened();
  reader.received(Buffer.concat([h2.get(1, '/'), LATE, h2.get(2, '/')]), 0);
  expect(reader.errorFrame()?.stream).toBe(1);
  reader.sent(reset(1, ErrorCode.streamClosed), 0);
  expect(reader.summary().connectionError?.section).toBe('RFC 9113 5.1.1');
  expect(reader.errorFrame()?.stream).toBe(2);
});

test('a reset with another code says nothing of the error', () => {
  const reader = opened();
  reader.received(Buffer.concat([h2.get(1, '/'), LATE]), 0);
  reader.sent(reset(1, ErrorCode.cancel), 0);
  expect(reader.summary().connectionError?.code).toBe('STREAM_CLOSED');
  expect(scopesOf(reader, 1)).toEqual(['connection']);
});

test('an error of a stream is one of the connection if the server sends GOAWAY for it', () => {
  const reader = opened();
  reader.received(Buffer.concat([h2.get(1, '/'), EMPTY_INCREMENT]), 0);
  reader.sent(goaway(1, ErrorCode.internalError), 0);
  expect(reader.summary().connectionError).toBeUndefined();
  reader.sent(goaway(1, ErrorCode.protocolError), 0);
  expect(reader.summary().connectionError).toMatchObject({
    scope: 'connection',
    section: 'RFC 9113 6.9',
  });
  expect(reader.errorFrame()?.stream).toBe(1);
  expect(scopesOf(reader, 1)).toEqual(['connection']);
});

test('GOAWAY is not for an error that the server has reset the stream for', () => {
  const reader = opened();
  reader.received(Buffer.concat([h2.get(1, '/'), EMPTY_INCREMENT]), 0);
  reader.sent(reset(1, ErrorCode.protocolError), 0);
  reader.sent(goaway(1, ErrorCode.protocolError), 0);
  expect(reader.summary().connectionError).toBeUndefined();
});

test.each<[string, Buffer[], boolean]>([
  ['from 0', [setting(NO_RFC7540_PRIORITIES, 1)], true],
  ['to the same', [setting(NO_RFC7540_PRIORITIES, 0)], false],
])('SETTINGS_NO_RFC7540_PRIORITIES changes %s', (_, sent, isError) => {
  const reader = opened();
  reader.received(Buffer.concat(sent), 0);
  expect(reader.summary().connectionError?.section).toBe(isError ? 'RFC 9218 2.1' : undefined);
});
