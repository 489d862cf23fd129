import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FrameType } from '../../../src/wire/http3/names.ts';
import { frameHeader } from '../../../src/wire/http3/frame-writer.ts';
import { StreamPhase } from '../../../src/wire/http3/stream-phase.ts';
import { longFrame, messageOf, textFrame } from './_frames.ts';

const { data, headers } = FrameType;
const GREASE = 0x1fn * 12_345_678_901_234n + 0x21n;
const message = Buffer.concat([
  textFrame(0x21, 'ignored'),
  textFrame(headers, 'head'),
  textFrame(data, 'some '),
  textFrame(GREASE, 'ignored'),
  textFrame(data),
  longFrame(data, 'content'),
  textFrame(headers, 'trailers'),
  textFrame(0x40, ''),
]);
const expected = ['section head', 'content some ', 'content content', 'trailers trailers', 'end'];

test('a message is read in pieces of any size, with unknown frames anywhere (RFC 9114 4.1)', () => {
  const cuts = fc.array(fc.nat({ max: message.length }), { maxLength: 40 });
  fc.assert(
    fc.property(cuts, (unsorted) => {
      const each = messageOf('client');
      let from = 0;
      for (const cut of [...unsorted.sort((one, other) => one - other), message.length]) {
        expect(each.reader.read(message.subarray(from, cut))).toBe(cut - from);
        from = cut;
      }
      each.reader.end();
      expect(each.events).toEqual(expected);
      expect(each.reader.bytesKept).toBe(0);
    }),
  );
});

test('content is passed on as it comes, and is not kept', () => {
  const each = messageOf('client');
  each.reader.read(Buffer.concat([textFrame(headers), frameHeader(data, 2 ** 40)]));
  for (let piece = 0; piece < 100; piece++) each.reader.read(Buffer.alloc(1000, 0x61));
  expect(each.reader.bytesKept).toBe(0);
  each.reader.end();
  expect(each.violation).toMatchObject({ section: 'RFC 9114 7.1', code: 'H3_FRAME_ERROR' });
});

describe('which frame may come (RFC 9114 7, table 1)', () => {
  const head = textFrame(headers, 'head');
  const trailers = Buffer.concat([head, textFrame(headers)]);
  test.each([
    ['DATA first', textFrame(data, 'x'), 'RFC 9114 4.1'],
    ['DATA after trailers', Buffer.concat([trailers, textFrame(data)]), 'RFC 9114 4.1'],
    ['HEADERS after trailers', Buffer.concat([trailers, head]), 'RFC 9114 4.1'],
    ['SETTINGS', textFrame(FrameType.settings), 'RFC 9114 7.2.4'],
    ['GOAWAY', Buffer.concat([head, textFrame(FrameType.goaway, '\0')]), 'RFC 9114 7.2.6'],
    ['MAX_PUSH_ID', textFrame(FrameType.maxPushId, '\0'), 'RFC 9114 7.2.7'],
    ['CANCEL_PUSH', textFrame(FrameType.cancelPush, '\0'), 'RFC 9114 7.2.3'],
    ['PUSH_PROMISE of a client', textFrame(FrameType.pushPromise, '\0'), 'RFC 9114 7.2.5'],
    ['PRIORITY_UPDATE', textFrame(FrameType.priorityUpdateRequest, '\0'), 'RFC 9218 7.2'],
    ['PRIORITY of HTTP/2', Buffer.concat([head, textFrame(0x02)]), 'RFC 9114 7.2.8'],
    ['PING of HTTP/2', textFrame(0x06), 'RFC 9114 7.2.8'],
    ['WINDOW_UPDATE of HTTP/2', Buffer.concat([trailers, textFrame(0x08)]), 'RFC 9114 7.2.8'],
    ['CONTINUATION of HTTP/2', Buffer.concat([head, textFrame(0x09)]), 'RFC 9114 7.2.8'],
  ])('%s is H3_FRAME_UNEXPECTED', (_, bytes, section) => {
    const each = messageOf('client');
    each.reader.read(bytes);
    expect(each.violation).toMatchObject({
      scope: 'connection',
      code: 'H3_FRAME_UNEXPECTED',
      section,
    });
    expect(each.reader.read(head)).toBe(0);
  });

  test('a promise is H3_ID_ERROR, since no server may push', () => {
    for (const before of [[], [head], [trailers]]) {
      const each = messageOf('server');
      each.reader.read(Buffer.concat([...before, textFrame(FrameType.pushPromise, '\0')]));
      expect(each.violation).toMatchObject({ section: 'RFC 9114 7.2.5', code: 'H3_ID_ERROR' });
    }
  });
});

test('after an interim response another header section follows', () => {
  const each = messageOf('server');
  each.reader.read(textFrame(headers, '103'));
  each.reader.interim();
  each.reader.read(textFrame(headers, '200'));
  expect(each.events).toEqual(['section 103', 'section 200']);
  expect(each.reader.phase).toBe(StreamPhase.content);
  const other = messageOf('server');
  other.reader.read(textFrame(headers, '103'));
  other.reader.interim();
  other.reader.read(textFrame(data));
  expect(other.violation?.code).toBe('H3_FRAME_UNEXPECTED');
});

test('after CONNECT only DATA may come, and what is unknown (RFC 9114 4.4)', () => {
  const each = messageOf('client');
  each.reader.read(textFrame(headers, 'CONNECT'));
  each.reader.connected();
  each.reader.read(Buffer.concat([textFrame(data, 'x'), textFrame(0x21), textFrame(headers)]));
  expect(each.events).toEqual(['section CONNECT', 'content x']);
  expect(each.violation).toMatchObject({ section: 'RFC 9114 4.4', code: 'H3_FRAME_UNEXPECTED' });
});

test.each([
  ['a request without a header section', 'client', '', 'H3_REQUEST_INCOMPLETE', 'stream'],
  ['a response without one', 'server', '', 'H3_MESSAGE_ERROR', 'stream'],
  ['a type without a length', 'client', '\x01', 'H3_FRAME_ERROR', 'connection'],
  ['half of a type', 'client', '\x40', 'H3_FRAME_ERROR', 'connection'],
  ['half of a field section', 'client', '\x01\x02x', 'H3_FRAME_ERROR', 'connection'],
  ['half of an unknown frame', 'client', '\x21\x02x', 'H3_FRAME_ERROR', 'connection'],
] as const)('the end after %s is an error', (_, from, bytes, code, scope) => {
  const each = messageOf(from);
  each.reader.read(Buffer.from(bytes, 'latin1'));
  each.reader.end();
  expect(each.violation).toMatchObject({ code, scope });
  expect(each.events).toEqual([]);
});

test('a field section above the limit is refused before it comes', () => {
  const each = messageOf('client', 10);
  each.reader.read(frameHeader(headers, 10));
  expect(each.violation).toBe(undefined);
  const other = messageOf('client', 10);
  other.reader.read(frameHeader(headers, 11));
  expect(other.violation).toMatchObject({ scope: 'stream', code: 'H3_EXCESSIVE_LOAD' });
});

test('a pause leaves the bytes after the section unread', () => {
  const { reader, events } = messageOf('client', 1000, true);
  const bytes = Buffer.concat([textFrame(headers, 'head'), textFrame(data, 'x')]);
  expect(reader.read(bytes)).toBe(6);
  expect(events).toEqual(['section head']);
  expect(reader.read(bytes.subarray(6))).toBe(3);
  reader.end();
  expect(events).toEqual(['section head', 'content x', 'end']);
});

test('any bytes are read, and keep no more than the limit', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('client' as const, 'server' as const),
      fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 20 }),
      (from, pieces) => {
        const each = messageOf(from, 30);
        for (const piece of pieces) {
          each.reader.read(Buffer.from(piece));
          expect(each.reader.bytesKept).toBeLessThanOrEqual(30);
        }
        each.reader.end();
        expect(each.violation !== undefined || each.events.includes('end')).toBe(true);
      },
    ),
    { numRuns: 2000 },
  );
});
