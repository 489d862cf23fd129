import * as fc from 'fast-check';

interface Edit {
  readonly how: 'set' | 'flip' | 'cut' | 'insert' | 'remove' | 'repeat';
  readonly at: number;
  readonly value: number;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  how: fc.constantFrom('set', 'flip', 'cut', 'insert', 'remove', 'repeat'),
  at: fc.nat(),
  value: fc.nat({ max: 255 }),
});

/** What can happen to bytes on their way, one to six times. */
export const edits = fc.array(edit, { minLength: 1, maxLength: 6 });

export function garble(bytes: Buffer, { how, at: anywhere, value }: Edit): Buffer {
  const at = anywhere % (bytes.length + 1);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  switch (how) {
    case 'set':
      return Buffer.concat([before, Buffer.from([value]), after.subarray(1)]);
    case 'flip':
      return Buffer.concat([
        before,
        Buffer.from([(after[0] ?? 0) ^ (1 << (value % 8))]),
        after.subarray(1),
      ]);
    case 'cut':
      return before;
    case 'insert':
      return Buffer.concat([before, Buffer.alloc(value, value), after]);
    case 'remove':
      return Buffer.concat([before, after.subarray(value)]);
    case 'repeat':
      return Buffer.concat([before, after.subarray(0, value), after]);
  }
}
