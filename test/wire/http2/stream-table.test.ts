import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Http2Stream } from '../../../src/wire/http2/stream.ts';
import { StreamTable } from '../../../src/wire/http2/stream-table.ts';

test('finds what a Map finds, whichever streams are added and removed', () => {
  const step = fc.record({ id: fc.integer({ min: 0, max: 200 }), isAdded: fc.boolean() });
  fc.assert(
    // Identifiers that are a multiple of a small number apart have one slot.
    fc.property(
      fc.array(step, { maxLength: 300 }),
      fc.constantFrom(2, 32, 64),
      (steps, distance) => {
        const table = new StreamTable<undefined>('server');
        const model = new Map<number, Http2Stream<undefined>>();
        for (const { id: number, isAdded } of steps) {
          const id = number * distance + 1;
          const known = model.get(id);
          if (isAdded && !known) {
            const stream = new Http2Stream(id, undefined, 0, 0);
            model.set(id, stream);
            table.add(stream);
          } else if (!isAdded && known) {
            model.delete(id);
            table.remove(known);
            // It may be removed again.
            table.remove(known);
          }
          expect(table.size).toBe(model.size);
        }
        for (let number = 0; number <= 200; number++) {
          expect(table.get(number * distance + 1)).toBe(model.get(number * distance + 1));
        }
        expect(new Set(table.all())).toEqual(new Set(model.values()));
      },
    ),
  );
});

test('knows the newest 10,000 resets', () => {
  const table = new StreamTable<undefined>('server');
  for (let at = 0; at <= 10_000; at++) table.noteReset(2 * at + 1, at % 2 === 0 ? 'here' : 'peer');
  expect([1, 3, 5, 7].map((id) => table.resetBy(id))).toEqual([undefined, 'peer', 'here', 'peer']);
});
