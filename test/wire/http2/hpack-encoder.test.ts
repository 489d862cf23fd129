import { expect, test } from 'vitest';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';
import { fieldBlock } from '../../../src/wire/http2/hpack-encoder.ts';
import { frame, uint32 } from '../../../src/wire/http2/frame.ts';

test('frame', () => {
  expect(frame(0xfa, 0x81, 2 ** 31 - 1, Buffer.from('abc')).toString('hex')).toBe(
    '000003fa817fffffff616263',
  );
  expect(frame(4, 1, 0).toString('hex')).toBe('000000040100000000');
});

test('uint32', () => {
  expect(uint32(1, 2 ** 32 - 1).toString('hex')).toBe('00000001ffffffff');
});

test.each([0, 1, 126, 127, 128, 254, 255, 256, 16_383, 16_384, 100_000])(
  'fieldBlock: a value of %i bytes, in any case, without the dynamic table',
  (length) => {
    const fields = [[':status', '200'] as const, ['X-Name', 'x'.repeat(length)] as const];
    const decoder = new HpackDecoder({ maxStringLength: 200_000 });
    const decoded = decoder.decode(fieldBlock(fields));
    expect(decoded.fields.map(({ name, value }) => [name, value])).toEqual(fields);
    expect(decoded).toMatchObject({ sizeUpdates: [{ size: 0 }], insertions: 0, error: undefined });
  },
);
