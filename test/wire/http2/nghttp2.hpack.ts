import { randomInt } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';
import { sessions, type Session } from './_hpack-sessions.ts';
import { codeByNghttp2 } from './_nghttp2.ts';

// Fuzzed blocks, decoded by nghttp2's own decoder as well. With
// WIREBIN_HPACK_BLOCKS and WIREBIN_HPACK_SEED as in the line that it prints.

const BLOCKS = Number(process.env['WIREBIN_HPACK_BLOCKS'] ?? 100_000);
/** Blocks of a session, about. */
const MEAN_LENGTH = 4;
const SEED = Number(process.env['WIREBIN_HPACK_SEED'] ?? randomInt(2 ** 31));

const commandsOf = (session: Session): string[] => [
  'new',
  ...session.flatMap(({ limit, pieces }) => [
    ...(limit === undefined ? [] : [`limit ${limit}`]),
    `block ${Buffer.concat(pieces).toString('hex')}`,
  ]),
];

/** The same lines by our decoder, each block in fragments. */
function decodedByUs(session: Session): string[] {
  const decoder = new HpackDecoder();
  return session.map(({ limit, pieces }) => {
    if (limit !== undefined) decoder.setTableSizeLimit(limit);
    for (const piece of pieces) decoder.write(piece);
    const { fields, error } = decoder.end();
    const pairs = fields.map(({ name, value }) => `${hex(name)}:${hex(value)}`);
    return error ? 'error' : ['ok', ...pairs].join(' ');
  });
}

const hex = (text: string): string => Buffer.from(text, 'latin1').toString('hex');

test(`${BLOCKS} fuzzed blocks decode as nghttp2 decodes them, seed ${SEED}`, () => {
  const all = fc.sample(sessions, { numRuns: BLOCKS / MEAN_LENGTH, seed: SEED });
  const { library, lines: theirs } = codeByNghttp2(all.flatMap(commandsOf));
  const ours = all.flatMap(decodedByUs);
  expect(theirs).toHaveLength(ours.length);
  const blocks = all.flat();
  const differences = ours.flatMap((each, at) => {
    const block = Buffer.concat(blocks[at]?.pieces ?? []).toString('hex');
    return each === theirs[at] ? [] : [{ block, ours: each, theirs: theirs[at] }];
  });
  const refused = ours.filter((each) => each === 'error').length;
  console.log(
    `${ours.length} blocks, ${refused} of them refused by both, ${differences.length} differences from ${library}; seed ${SEED}`,
  );
  expect(differences.slice(0, 5)).toEqual([]);
  expect(refused).toBeGreaterThan(ours.length / 20);
  expect(refused).toBeLessThan(ours.length / 2);
});
