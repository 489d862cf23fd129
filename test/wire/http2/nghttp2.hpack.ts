import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';
import { randomSessions, type Step } from './_hpack-sessions.ts';

// Fuzzed blocks, decoded by nghttp2's own decoder (libnghttp2 through Python's ctypes) as well. With
// WIREBIN_HPACK_BLOCKS and WIREBIN_HPACK_SEED as in the line that it prints.

const BLOCKS = Number(process.env['WIREBIN_HPACK_BLOCKS'] ?? 100_000);
const SEED = Number(process.env['WIREBIN_HPACK_SEED'] ?? randomInt(2 ** 31));
const SCRIPT = fileURLToPath(new URL('nghttp2-inflate.py', import.meta.url));

/** What another decoder makes of the steps: its name, and a line for each block. */
function decodedBy(steps: readonly Step[], ...args: string[]): string[] {
  const input = steps.map(line).join('\n');
  const { stdout, stderr, error, status } = spawnSync('python3', [SCRIPT, ...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 2 ** 31,
  });
  if (error || status !== 0) {
    throw new Error(
      `The other decoder cannot run: it needs python3 and libnghttp2, which Debian has as libnghttp2-14. ${error?.message ?? stderr}`,
    );
  }
  return stdout.trimEnd().split('\n');
}

function line(step: Step): string {
  switch (step.kind) {
    case 'new':
      return 'new';
    case 'limit':
      return `limit ${step.size}`;
    case 'block':
      return `block ${step.bytes.toString('hex')}`;
  }
}

/** The same lines by our decoder, each block in fragments. */
function decodedByUs(steps: readonly Step[]): string[] {
  const lines: string[] = [];
  let decoder = new HpackDecoder();
  for (const step of steps) {
    if (step.kind === 'new') decoder = new HpackDecoder();
    else if (step.kind === 'limit') decoder.setTableSizeLimit(step.size);
    else {
      let at = 0;
      for (const end of step.splits) decoder.write(step.bytes.subarray(at, (at = end)));
      decoder.write(step.bytes.subarray(at));
      const { fields, error } = decoder.end();
      const pairs = fields.map(({ name, value }) => `${hex(name)}:${hex(value)}`);
      lines.push(error ? 'error' : ['ok', ...pairs].join(' '));
    }
  }
  return lines;
}

const hex = (text: string): string => Buffer.from(text, 'latin1').toString('hex');

test(`${BLOCKS} fuzzed blocks decode as nghttp2 decodes them, seed ${SEED}`, () => {
  const steps = randomSessions(BLOCKS, SEED);
  const [name, ...theirs] = decodedBy(steps);
  const ours = decodedByUs(steps);
  expect(theirs).toHaveLength(ours.length);
  const blocks = steps.filter((step) => step.kind === 'block');
  const differences = ours.flatMap((each, at) =>
    each === theirs[at]
      ? []
      : [{ block: blocks[at]?.bytes.toString('hex'), ours: each, theirs: theirs[at] }],
  );
  const refused = ours.filter((each) => each === 'error').length;
  console.log(
    `${ours.length} blocks, ${refused} of them refused by both, ${differences.length} differences from ${name}; seed ${SEED}`,
  );
  expect(differences.slice(0, 5)).toEqual([]);
  expect(refused).toBeGreaterThan(BLOCKS / 20);
  expect(refused).toBeLessThan(BLOCKS / 2);
});
