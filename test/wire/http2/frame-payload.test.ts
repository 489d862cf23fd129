import { expect, test } from 'vitest';
import { FrameType } from '../../../src/wire/http2/frame.ts';
import {
  parsePriority,
  parsePriorityUpdate,
  parseSettings,
  parseWindowIncrement,
  type Priority,
} from '../../../src/wire/http2/frame-payload.ts';
import { uint32 } from '../../_frames.ts';

function priorityOf(flags: number, payload: Buffer): Priority | undefined {
  return parsePriority({ type: FrameType.headers, flags, payload });
}

test('PRIORITY: exclusive, and a weight of 256 (RFC 7540 6.3)', () => {
  const payload = Buffer.from([0x80, 0, 0, 3, 255]);
  const priority = parsePriority({ type: FrameType.priority, flags: 0, payload });
  expect(priority).toEqual({ exclusive: true, dependsOn: 3, weight: 256 });
});

test('HEADERS: the priority follows the pad length (RFC 9113 6.2)', () => {
  const padded = Buffer.from([2, 0, 0, 0, 7, 41]);
  expect(priorityOf(0x2c, padded)).toEqual({ exclusive: false, dependsOn: 7, weight: 42 });
  expect(priorityOf(0x24, padded.subarray(1))?.weight).toBe(42);
  expect(priorityOf(0x4, padded)).toBeUndefined();
  expect(priorityOf(0x24, padded.subarray(2))).toBeUndefined();
});

test('SETTINGS: order, repeated and unknown parameters are kept (RFC 9113 6.5)', () => {
  const payload = Buffer.from([0, 4, 0, 1, 0, 0, 0x1a, 0x2a, 255, 255, 255, 255, 0, 4, 0, 0, 0, 1]);
  expect(parseSettings({ payload })).toEqual([
    { id: 4, value: 65_536 },
    { id: 0x1a2a, value: 2 ** 32 - 1 },
    { id: 4, value: 1 },
  ]);
  expect(parseSettings({ payload: payload.subarray(0, 8) })).toHaveLength(1);
});

test('WINDOW_UPDATE: the reserved bit is ignored (RFC 9113 6.9)', () => {
  expect(parseWindowIncrement({ payload: uint32(0x80000005) })).toBe(5);
});

test('PRIORITY_UPDATE (RFC 9218 7.1)', () => {
  const payload = Buffer.concat([uint32(3), Buffer.from('u=2, i')]);
  expect(parsePriorityUpdate({ payload })).toEqual({ stream: 3, value: 'u=2, i' });
});
