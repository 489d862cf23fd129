import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Baseline } from '../../src/check/baseline.ts';
import { counting } from '../../src/check/counting.ts';
import { resultWithOutcome } from './_results.ts';

const directory = mkdtempSync(join(tmpdir(), 'wirebin-counting-'));
afterAll(() => rmSync(directory, { recursive: true }));
const file = join(directory, 'baseline.json');

const OPTIONS = {
  failOn: ['must', 'lost'],
  strict: false,
  require: [],
  baseline: file,
  acceptKnown: false,
  updateBaseline: false,
} as const;

const results = [
  resultWithOutcome('hop/te', 'fail'),
  { ...resultWithOutcome('hop/keep-alive', 'fail'), level: 'should' as const },
  resultWithOutcome('hop/via-request', 'blocked'),
];
const run = { results, chosen: [], isWhole: true };

const idsOf = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => id);

test('--fail-on decides what counts, and --strict adds a level', () => {
  const plain = counting(run, OPTIONS, undefined, undefined);
  expect(plain).toMatchObject({ failOn: ['must', 'lost'], gaps: [], notes: [] });
  expect(idsOf(plain.findings)).toEqual(['hop/te']);
  const strict = counting(run, { ...OPTIONS, strict: true }, undefined, undefined);
  expect(strict.failOn).toEqual(['must', 'should', 'lost']);
  expect(idsOf(strict.findings)).toEqual(['hop/te', 'hop/keep-alive']);
  const blocked = counting(run, { ...OPTIONS, failOn: ['blocked'] }, undefined, undefined);
  expect(blocked.findings).toEqual([]);
  expect(idsOf(blocked.gaps)).toEqual(['hop/via-request']);
});

test('--accept-known leaves out what is recorded of the product', () => {
  const findings = new Set(['h2 hop/te']);
  const record = { product: 'nginx', version: '1.22.1', findings, capabilities: new Map() };
  const known = { ...record, isDetected: true, others: [] };
  expect(idsOf(counting(run, OPTIONS, undefined, known).findings)).toEqual(['hop/te']);
  const accepting = { ...OPTIONS, acceptKnown: true };
  expect(counting(run, accepting, undefined, known).findings).toEqual([]);
  expect(idsOf(counting(run, accepting, undefined, undefined).findings)).toEqual(['hop/te']);
});

test('--update-baseline writes what was found, which then does not count', () => {
  const updating = { ...OPTIONS, updateBaseline: true };
  expect(counting(run, updating, new Baseline(), undefined)).toMatchObject({
    findings: [],
    gaps: [],
  });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    findings: [{ id: 'hop/te', front: 'h2' }],
    judged: { 'http/1.1': [], h2: ['hop/keep-alive', 'hop/te'] },
  });
  expect(counting(run, OPTIONS, Baseline.read(file), undefined).findings).toEqual([]);
});
