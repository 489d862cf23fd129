import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Violation } from '../../../src/wire/http2/violation.ts';
import { ControlReader } from '../../../src/wire/http3/control-reader.ts';
import {
  frame,
  frameHeader,
  idFrame,
  priorityUpdateFrame,
  settingsFrame,
} from '../../../src/wire/http3/frame-writer.ts';
import { FrameType, SettingId } from '../../../src/wire/http3/names.ts';
import { DEFAULT_SETTINGS, settingsOf, type Setting } from '../../../src/wire/http3/settings.ts';
import type { Role } from '../../../src/wire/http2/frame.ts';
import { ids, textFrame } from './_frames.ts';

function controlOf(from: Role) {
  const events: string[] = [];
  let violation: Violation | undefined;
  const reader = new ControlReader(
    {
      onSettings: (list) =>
        void events.push(`settings ${list.map(({ id, value }) => `${id}=${value}`).join(' ')}`),
      onGoaway: (id) => void events.push(`goaway ${id}`),
      onPriorityUpdate: (stream, value) => void events.push(`priority ${stream} ${value}`),
      onViolation: (each) => {
        violation = each;
      },
    },
    from,
  );
  return {
    reader,
    events,
    get violation() {
      return violation;
    },
  };
}

const MAX = 2n ** 62n - 1n;
const settings: Setting[] = [
  { id: 0x1fn * 10n ** 15n + 0x21n, value: MAX },
  { id: SettingId.maxFieldSectionSize, value: 65_536 },
  { id: SettingId.enableConnectProtocol, value: 1 },
  { id: 0x40, value: 0 },
];
const none = settingsFrame([]);
const stream = Buffer.concat([
  settingsFrame(settings),
  textFrame(0x21, 'ignored'),
  priorityUpdateFrame(8, 'u=1, i'),
  idFrame(FrameType.maxPushId, 5),
  idFrame(FrameType.maxPushId, 5),
  idFrame(FrameType.goaway, MAX),
  idFrame(FrameType.goaway, 7),
  idFrame(FrameType.goaway, 7),
  textFrame(0x0c, 'ignored'),
]);

test('a control stream is read in pieces of any size', () => {
  const cuts = fc.array(fc.nat({ max: stream.length }), { maxLength: 40 });
  fc.assert(
    fc.property(cuts, (unsorted) => {
      const each = controlOf('client');
      let from = 0;
      for (const cut of [...unsorted.sort((one, other) => one - other), stream.length]) {
        each.reader.read(stream.subarray(from, cut));
        from = cut;
      }
      expect(each.violation).toBe(undefined);
      expect(each.events).toEqual([
        `settings 31000000000000033=${MAX} 6=65536 8=1 64=0`,
        'priority 8 u=1, i',
        `goaway ${MAX}`,
        'goaway 7',
        'goaway 7',
      ]);
    }),
  );
});

const goaway = (id: number | bigint): Buffer => idFrame(FrameType.goaway, id);
const joined = (...parts: readonly Buffer[]): Buffer => Buffer.concat([none, ...parts]);

describe('a control stream of a client', () => {
  test.each([
    ['DATA first', textFrame(FrameType.data), 'H3_MISSING_SETTINGS', '6.2.1'],
    ['an unknown frame first', textFrame(0x21), 'H3_MISSING_SETTINGS', '6.2.1'],
    ['GOAWAY first', goaway(0), 'H3_MISSING_SETTINGS', '6.2.1'],
    ['a second SETTINGS', joined(none), 'H3_FRAME_UNEXPECTED', '7.2.4'],
    ['DATA', joined(textFrame(FrameType.data)), 'H3_FRAME_UNEXPECTED', '7.2.1'],
    ['HEADERS', joined(textFrame(FrameType.headers)), 'H3_FRAME_UNEXPECTED', '7.2.2'],
    ['PUSH_PROMISE', joined(textFrame(FrameType.pushPromise)), 'H3_FRAME_UNEXPECTED', '7.2.5'],
    ['WINDOW_UPDATE', joined(textFrame(0x08, '\0\0\0\0')), 'H3_FRAME_UNEXPECTED', '7.2.8'],
    ['a higher GOAWAY', joined(goaway(4), goaway(5)), 'H3_ID_ERROR', '5.2'],
    ['CANCEL_PUSH', joined(idFrame(FrameType.cancelPush, 0)), 'H3_ID_ERROR', '7.2.3'],
    [
      'a lower MAX_PUSH_ID',
      joined(idFrame(FrameType.maxPushId, 9), idFrame(FrameType.maxPushId, 8)),
      'H3_ID_ERROR',
      '7.2.7',
    ],
    ['an empty GOAWAY', joined(textFrame(FrameType.goaway)), 'H3_FRAME_ERROR', '7.1'],
    ['GOAWAY of 9 bytes', joined(frameHeader(FrameType.goaway, 9)), 'H3_FRAME_ERROR', '7.1'],
    [
      'GOAWAY with more than an id',
      joined(textFrame(FrameType.goaway, '\0\0')),
      'H3_FRAME_ERROR',
      '7.1',
    ],
    ['half of an id', joined(textFrame(FrameType.maxPushId, '\x40')), 'H3_FRAME_ERROR', '7.1'],
    ['half of a setting', frame(FrameType.settings, ids(6)), 'H3_FRAME_ERROR', '7.1'],
    ['large SETTINGS', frameHeader(FrameType.settings, 1025), 'H3_EXCESSIVE_LOAD', '10.5'],
  ])('%s is %s', (_, bytes, code, section) => {
    const each = controlOf('client');
    each.reader.read(bytes);
    const expected = { scope: 'connection', code, section: `RFC 9114 ${section}` };
    expect(each.violation).toMatchObject(expected);
  });

  test.each([
    ['of no request stream', priorityUpdateFrame(2, 'u=1')],
    ['of a push', frame(FrameType.priorityUpdatePush, ids(0))],
  ])('PRIORITY_UPDATE %s is H3_ID_ERROR (RFC 9218 7.2)', (_, bytes) => {
    const each = controlOf('client');
    each.reader.read(joined(bytes));
    expect(each.violation).toMatchObject({ code: 'H3_ID_ERROR', section: 'RFC 9218 7.2' });
  });
});

describe('a control stream of a server', () => {
  test.each([
    ['GOAWAY of no request stream', goaway(1), 'H3_ID_ERROR', 'RFC 9114 7.2.6'],
    ['MAX_PUSH_ID', idFrame(FrameType.maxPushId, 0), 'H3_FRAME_UNEXPECTED', 'RFC 9114 7.2.7'],
    ['PRIORITY_UPDATE', priorityUpdateFrame(0, ''), 'H3_FRAME_UNEXPECTED', 'RFC 9218 7.2'],
  ])('%s is refused', (_, bytes, code, section) => {
    const each = controlOf('server');
    each.reader.read(joined(bytes));
    expect(each.violation).toMatchObject({ scope: 'connection', code, section });
  });

  test('GOAWAY may have the highest id of a request stream (RFC 9114 5.2)', () => {
    const each = controlOf('server');
    each.reader.read(joined(goaway(2n ** 62n - 4n), goaway(4)));
    expect(each.events.slice(1)).toEqual(['goaway 4611686018427387900', 'goaway 4']);
  });
});

test('it must not be closed (RFC 9114 6.2.1)', () => {
  const each = controlOf('client');
  each.reader.read(none);
  each.reader.closed();
  expect(each.violation?.code).toBe('H3_CLOSED_CRITICAL_STREAM');
});

describe('SETTINGS (RFC 9114 7.2.4)', () => {
  test.each([
    ['a setting twice', [6, 1, 7, 1, 6, 2], 'RFC 9114 7.2.4'],
    ['an unknown one twice', [MAX, 1, MAX, 1], 'RFC 9114 7.2.4'],
    ['ENABLE_CONNECT_PROTOCOL twice', [8, 1, 8, 1], 'RFC 9114 7.2.4'],
    ['identifier 0', [0, 0], 'RFC 9114 7.2.4.1'],
    ['ENABLE_PUSH of HTTP/2', [2, 0], 'RFC 9114 7.2.4.1'],
    ['MAX_CONCURRENT_STREAMS of HTTP/2', [3, 0], 'RFC 9114 7.2.4.1'],
    ['INITIAL_WINDOW_SIZE of HTTP/2', [4, 0], 'RFC 9114 7.2.4.1'],
    ['MAX_FRAME_SIZE of HTTP/2', [5, 0], 'RFC 9114 7.2.4.1'],
    ['ENABLE_CONNECT_PROTOCOL of 2', [8, 2], 'RFC 8441 3'],
    ['H3_DATAGRAM of 2', [0x33, MAX], 'RFC 9297 2.1.1'],
  ] as const)('%s is H3_SETTINGS_ERROR', (_, values, section) => {
    const each = controlOf('client');
    each.reader.read(frame(FrameType.settings, ids(...values)));
    expect(each.violation).toMatchObject({ code: 'H3_SETTINGS_ERROR', section });
  });

  test('have defaults', () => {
    expect(DEFAULT_SETTINGS).toEqual({
      maxFieldSectionSize: Infinity,
      qpackMaxTableCapacity: 0,
      qpackBlockedStreams: 0,
      enableConnectProtocol: false,
      h3Datagram: false,
    });
    expect(settingsOf(settings)).toEqual({
      ...DEFAULT_SETTINGS,
      maxFieldSectionSize: 65_536,
      enableConnectProtocol: true,
    });
    expect(settingsOf([{ id: SettingId.qpackMaxTableCapacity, value: MAX }])).toMatchObject({
      qpackMaxTableCapacity: 2 ** 62,
    });
  });
});

test('any bytes are read', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('client' as const, 'server' as const),
      fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 20 }),
      fc.boolean(),
      (from, pieces, hasSettings) => {
        const each = controlOf(from);
        if (hasSettings) each.reader.read(none);
        for (const piece of pieces) each.reader.read(Buffer.from(piece));
      },
    ),
    { numRuns: 2000 },
  );
});
