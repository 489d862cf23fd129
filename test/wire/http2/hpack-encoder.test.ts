import { expect, test } from 'vitest';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';
import { fieldBlock, staticBlock } from '../../../src/wire/http2/hpack-encoder.ts';

test.each([0, 1, 126, 127, 128, 254, 255, 256, 16_383, 16_384, 65_536])(
  'fieldBlock: a value of %i bytes, in any case, without the dynamic table',
  (length) => {
    const fields = [[':status', '200'] as const, ['X-Name', 'x'.repeat(length)] as const];
    const decoder = new HpackDecoder();
    const decoded = decoder.decode(fieldBlock(fields));
    expect(decoded.fields.map(({ name, value }) => [name, value])).toEqual(fields);
    expect(decoded).toMatchObject({ sizeUpdates: [{ size: 0 }], insertions: 0, error: undefined });
  },
);

test('staticBlock: by the static table where it has the field or its name', () => {
  const fields = [
    [':method', 'GET'],
    [':path', '/a'],
    [':authority', ''],
    ['user-agent', 'x'.repeat(200)],
    ['x-other', 'b'],
  ] as const;
  const decoded = new HpackDecoder().decode(staticBlock(fields));
  expect(decoded.fields.map(({ name, value }) => [name, value])).toEqual(fields);
  expect(decoded.fields.map(({ index }) => index)).toEqual([2, 4, 1, 58, 0]);
  expect(decoded).toMatchObject({ sizeUpdates: [{ size: 0 }], insertions: 0, error: undefined });
});
