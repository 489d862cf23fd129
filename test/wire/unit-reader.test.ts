import { expect, test } from 'vitest';
import { UnitReader, UnitSplitter, type UnitFraming } from '../../src/wire/unit-reader.ts';

const FRAMING: UnitFraming = { headerLength: 2, lengthOf: (bytes, at) => bytes.readUInt8(at + 1) };
const BYTES = Buffer.from('a\x03123b\x00c\x0212d\x011', 'latin1');

function cuts(): Buffer[][] {
  return Array.from(BYTES, (_, cut) => [BYTES.subarray(0, cut), BYTES.subarray(cut)]);
}

test('the head of each content comes in one piece, the rest in any', () => {
  for (const pieces of cuts()) {
    let told = '';
    const reader = new UnitReader(FRAMING, {
      onHeader: (bytes, at, offset) => {
        told += `[${bytes.toString('latin1', at, at + 1)} at ${offset}: `;
        return Math.min(2, FRAMING.lengthOf(bytes, at));
      },
      onHead: (head) => void (told += `head ${head.toString()} `),
      onContent: (bytes, start, end) => void (told += bytes.toString('latin1', start, end)),
      onEnd: () => void (told += ']'),
    });
    for (const piece of pieces) reader.read(piece, 0);
    expect(told).toBe('[a at 0: head 12 3][b at 5: ][c at 7: head 12 ][d at 11: head 1 ]');
    expect(reader.isComplete).toBe(true);
    expect(reader.bytesKept).toBe(0);
  }
});

test('units, and whether one is incomplete', () => {
  for (const pieces of cuts()) {
    const splitter = new UnitSplitter(
      FRAMING,
      (header, content) => `${header[0]} ${content.toString()}`,
    );
    const units = pieces.flatMap((piece) => splitter.push(piece));
    expect(units).toEqual(['97 123', '98 ', '99 12', '100 1']);
    expect(splitter.isComplete).toBe(true);
    splitter.push(BYTES.subarray(0, 4));
    expect(splitter.isComplete).toBe(false);
  }
});

test('a sink that wants nothing more is told nothing more', () => {
  let told = 0;
  const reader = new UnitReader(FRAMING, {
    onHeader: () => void told++,
    onHead: () => void told++,
    onContent: () => void told++,
    onEnd: () => void told++,
  });
  reader.read(BYTES, 0);
  expect(told).toBe(1);
});
