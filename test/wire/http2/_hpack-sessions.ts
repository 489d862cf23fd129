import { integer } from '../../../src/wire/http2/hpack-encoder.ts';
import { indexed, literal, sizeUpdate, type Literal } from './_hpack.ts';

/** What a decoder is given; after a refused block comes a new one. */
export type Step =
  | { readonly kind: 'new' }
  | { readonly kind: 'limit'; readonly size: number }
  | { readonly kind: 'block'; readonly bytes: Buffer; readonly splits: readonly number[] };

type Random = (below: number) => number;

/** Numbers from 0, the same for each seed (mulberry32). */
function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const NAMES = [':path', 'cookie', 'x-a', 'user-agent', 'accept', '', 'X', 'a b', '\xff\0'];
const REPRESENTATIONS: readonly Literal[] = ['literal-indexed', 'literal', 'never-indexed'];
const SIZES = [0, 31, 32, 33, 64, 100, 300, 1000, 4095, 4096, 4097, 65_536, 2 ** 32 - 1];
const BLOCKS_PER_SESSION = 12;

/** Sessions of blocks that share a table, all but the last valid for the most part. */
export function randomSessions(blocks: number, seed: number): Step[] {
  const random = randomOf(seed);
  const steps: Step[] = [];
  for (let left = blocks; left > 0;) {
    steps.push({ kind: 'new' });
    let count = Math.min(left, 1 + random(BLOCKS_PER_SESSION));
    for (; count > 0; count--) {
      left--;
      const limit = random(10) === 0 ? (SIZES[random(SIZES.length)] ?? 0) : undefined;
      if (limit !== undefined) steps.push({ kind: 'limit', size: limit });
      let bytes = randomBlock(random, limit);
      if (random(8) === 0) {
        bytes = changed(bytes, random);
        count = 1;
      }
      const splits = Array.from({ length: random(4) }, () => random(bytes.length + 1));
      steps.push({ kind: 'block', bytes, splits: splits.sort((one, other) => one - other) });
    }
  }
  return steps;
}

function randomBlock(random: Random, limit: number | undefined): Buffer {
  const parts: Buffer[] = [];
  if (limit !== undefined && random(8) > 0) parts.push(sizeUpdate(Math.min(limit, 4096)));
  if (random(30) === 0) parts.push(sizeUpdate(SIZES[random(9)] ?? 0));
  for (let count = random(8); count > 0; count--) parts.push(randomField(random));
  return Buffer.concat(parts);
}

function randomField(random: Random): Buffer {
  // Mostly of the static table; the dynamic one has few entries.
  if (random(3) === 0) return indexed(1 + random(random(10) === 0 ? 70 : 61));
  const known = random(2) === 0;
  const name = known ? 1 + random(random(10) === 0 ? 70 : 61) : (NAMES[random(NAMES.length)] ?? '');
  return literal(REPRESENTATIONS[random(3)] ?? 'literal', name, randomText(random), {
    name: random(2) === 0,
    value: random(2) === 0,
  });
}

function randomText(random: Random): string {
  const length = random(20) === 0 ? random(600) : random(20);
  const all = random(3) === 0;
  const codes = Array.from({ length }, () => (all ? random(256) : 0x20 + random(0x5f)));
  return String.fromCharCode(...codes);
}

/** One to three changes: a byte, a bit, an insertion, a removal, the end. */
function changed(bytes: Buffer, random: Random): Buffer {
  let result = Buffer.from(bytes);
  for (let count = 1 + random(3); count > 0; count--) {
    const at = random(result.length + 1);
    const before = result.subarray(0, at);
    const replacements = [
      [before, Buffer.from([random(256)]), result.subarray(at + 1)],
      [before, Buffer.from([(result[at] ?? 0) ^ (1 << random(8))]), result.subarray(at + 1)],
      [before, integer(2 ** random(36), 7, random(2) * 0x80), result.subarray(at)],
      [before, result.subarray(at + 1 + random(4))],
      [before],
      [
        before,
        Buffer.from([0xff, 0x80, 0x80, 0x80, 0x80].slice(0, 1 + random(5))),
        result.subarray(at),
      ],
    ];
    result = Buffer.concat(replacements[random(replacements.length)] ?? []);
  }
  return result;
}
