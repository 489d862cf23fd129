import { expect, test } from 'vitest';
import { judgeFrames } from '../../src/check/catalogue/websocket-frames.ts';
import { frameOf, type Frame } from '../../src/check/catalogue/websocket.ts';
import { Opcode } from '../../src/wire/websocket/frame.ts';

const { text, binary, continuation, ping, close } = Opcode;

const sent: readonly Frame[] = [
  [text, 'in ', false],
  [ping, 'ping'],
  [continuation, 'two'],
  [binary, 'bytes'],
  [close, ''],
];

const outcome = (found: readonly Frame[], expected = sent): string =>
  judgeFrames(expected.map(frameOf), found.map(frameOf)).outcome;

test('frames that come as they were sent pass', () => {
  expect(outcome(sent)).toBe('pass');
});

// RFC 6455 5.4: an intermediary may coalesce and split frames, and a control frame may stand between any two.
test.each<[string, readonly Frame[]]>([
  [
    'in one frame',
    [
      [text, 'in two'],
      [ping, 'ping'],
      [binary, 'bytes'],
      [close, ''],
    ],
  ],
  [
    'in more frames',
    [
      [text, 'in', false],
      [continuation, ' ', false],
      [ping, 'ping'],
      [continuation, 'two'],
      [binary, 'bytes'],
      [close, ''],
    ],
  ],
  [
    'after a ping',
    [
      [ping, 'ping'],
      [text, 'in ', false],
      [continuation, 'two'],
      [binary, 'bytes'],
      [close, ''],
    ],
  ],
])('a message %s differs', (_where, found) => {
  expect(outcome(found)).toBe('differs');
});

test.each<[string, readonly Frame[]]>([
  [
    'no ping',
    [
      [text, 'in two'],
      [binary, 'bytes'],
      [close, ''],
    ],
  ],
  [
    'two pings',
    [
      [ping, 'ping'],
      [ping, 'ping'],
      [text, 'in two'],
      [binary, 'bytes'],
      [close, ''],
    ],
  ],
  [
    'another opcode',
    [
      [text, 'in two'],
      [ping, 'ping'],
      [text, 'bytes'],
      [close, ''],
    ],
  ],
  [
    'another order',
    [
      [binary, 'bytes'],
      [text, 'in two'],
      [ping, 'ping'],
      [close, ''],
    ],
  ],
  [
    'one message',
    [
      [text, 'in twobytes'],
      [ping, 'ping'],
      [close, ''],
    ],
  ],
  [
    'the close before a message',
    [
      [text, 'in two'],
      [ping, 'ping'],
      [close, ''],
      [binary, 'bytes'],
    ],
  ],
  [
    'a message that does not end',
    [
      [text, 'in ', false],
      [ping, 'ping'],
      [continuation, 'two', false],
    ],
  ],
])('%s fails', (_what, found) => {
  expect(outcome(found)).toBe('fail');
});

test('the frames of a compressed message have to stay (RFC 6455 5.4, RFC 7692 6)', () => {
  const compressed: readonly Frame[] = [
    [text, 'a', false, true],
    [continuation, 'b'],
  ];
  expect(outcome(compressed, compressed)).toBe('pass');
  expect(outcome([[text, 'ab', true, true]], compressed)).toBe('fail');
});
