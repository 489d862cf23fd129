import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Baseline } from '../../src/check/baseline.ts';
import { resultWithOutcome } from './_results.ts';

const directory = mkdtempSync(join(tmpdir(), 'wirebin-baseline-'));
afterAll(() => rmSync(directory, { recursive: true }));
const file = join(directory, 'baseline.json');
const today = '2026-11-22';

/** Checks of the catalogue. */
const IDS = [
  'hop/te',
  'hop/keep-alive',
  'hop/connection-listed',
  'hop/proxy-connection',
  'hop/via-request',
] as const;

test('findings in the baseline do not count', () => {
  const baseline = new Baseline([
    { id: 'hop/te', front: 'h2', reason: 'known', expires: undefined },
    { id: 'hop/keep-alive', front: 'h2', reason: 'known', expires: today },
  ]);
  const findings = [
    resultWithOutcome('hop/te', 'fail'),
    resultWithOutcome('hop/keep-alive', 'fail'),
    resultWithOutcome('hop/via-request', 'fail'),
  ];
  const { findings: left, notes } = baseline.compare(findings, findings, today);
  expect(left.map(({ id }) => id)).toEqual(['hop/via-request']);
  expect(notes).toEqual([]);
});

test('an entry that has expired, or no longer holds, is named', () => {
  const baseline = new Baseline([
    { id: 'hop/te', front: 'h2', reason: 'known', expires: '2026-11-21' },
    { id: 'hop/keep-alive', front: 'h2', reason: 'known', expires: undefined },
    { id: 'hop/gone', front: 'h2', reason: 'known', expires: undefined },
  ]);
  const findings = [resultWithOutcome('hop/te', 'fail')];
  const results = [...findings, resultWithOutcome('hop/keep-alive', 'pass')];
  const { findings: left, notes } = baseline.compare(findings, results, today);
  expect(left).toEqual(findings);
  expect(notes).toEqual([
    'h2 hop/te: the entry of the baseline expired on 2026-11-21',
    'h2 hop/keep-alive: the baseline has a finding, and the outcome is now pass',
    'h2 hop/gone: there is no such check',
  ]);
});

test('what is written is read again, with the reasons of known entries', () => {
  const findings = [
    resultWithOutcome('hop/te', 'fail'),
    resultWithOutcome('hop/via-request', 'fail'),
  ];
  const known = { id: 'hop/te', front: 'h2', reason: 'why', expires: '2030-01-01' };
  const notRun = { id: 'hop/keep-alive', front: 'h2', reason: 'why', expires: undefined };
  const fixed = { id: 'hop/proxy-connection', front: 'h2', reason: 'why', expires: undefined };
  const results = [...findings, resultWithOutcome('hop/proxy-connection', 'pass')];
  new Baseline([known, notRun, fixed]).write(file, findings, results);
  const written = JSON.parse(readFileSync(file, 'utf8')) as { readonly findings: unknown[] };
  expect(written.findings).toHaveLength(3);
  expect(written).toMatchObject({
    findings: [
      known,
      { id: 'hop/keep-alive', reason: 'why' },
      { id: 'hop/via-request', front: 'h2' },
    ],
  });
  const { findings: left } = Baseline.read(file).compare(findings, findings, today);
  expect(left).toEqual([]);
});

test('entries stay unless the check passes or differs now', () => {
  const ids = ['hop/te', 'hop/via-request', 'hop/keep-alive', 'hop/proxy-connection'] as const;
  const outcomes = ['fail', 'error', 'not-applicable', 'differs'] as const;
  const results = ids.map((id, at) => resultWithOutcome(id, outcomes[at] ?? 'pass'));
  const entries = ids.map((id) => ({ id, front: 'h2', reason: 'why', expires: undefined }));
  const baseline = new Baseline(entries);
  // The first is of a level that does not count in this run.
  baseline.write(file, [], results);
  const written = JSON.parse(readFileSync(file, 'utf8')) as { readonly findings: unknown[] };
  expect(written.findings).toMatchObject(ids.slice(0, 3).map((id) => ({ id })));
  expect(baseline.compare([], results, today).notes).toEqual([
    'h2 hop/proxy-connection: the baseline has a finding, and the outcome is now differs',
  ]);
});

test('a missing file is an error: a pipeline would take it for a baseline without entries', () => {
  const none = join(directory, 'none.json');
  expect(() => Baseline.read(none)).toThrow(`${none} cannot be used: ENOENT`);
});

test('what had a verdict is kept, also of checks that were not run', () => {
  const results = (['pass', 'fail', 'differs', 'blocked', 'flaky'] as const).map((outcome, at) =>
    resultWithOutcome(IDS[at] ?? 'hop/te', outcome),
  );
  const before = [
    { id: 'grpc/trailers', front: 'h2' },
    { id: 'grpc/trailers', front: 'http/1.1' },
    { id: IDS[3], front: 'h2' },
  ] as const;
  new Baseline([], before).write(file, [], results);
  const { judged, passed } = Baseline.read(file);
  expect(passed.map(({ id }) => id)).toEqual(results.slice(0, 1).map(({ id }) => id));
  expect(judged.map(({ front, id }) => `${front} ${id}`).toSorted()).toEqual([
    'h2 grpc/trailers',
    'h2 hop/connection-listed',
    'h2 hop/keep-alive',
    'h2 hop/te',
    'http/1.1 grpc/trailers',
  ]);
});

test('a baseline of an older wirebin has no verdicts, and a check that is gone is left out', () => {
  writeFileSync(file, '{"findings": []}');
  expect(Baseline.read(file).judged).toEqual([]);
  writeFileSync(file, '{"findings": [], "judged": {"http/1.1": ["hop/gone", "hop/te"], "h2": []}}');
  expect(Baseline.read(file).judged).toEqual([{ id: 'hop/te', front: 'http/1.1' }]);
});

test.each([
  '',
  '{}',
  '{"findings": [{"id": "a"}]}',
  '{"findings": [{"id": "a", "front": "h2", "reason": "b", "expires": "soon"}]}',
  '{"findings": [{"id": "a", "front": "h2", "reason": "b", "expires": "2027-02-31"}]}',
  '{"findings": [{"id": "a", "front": "h3", "reason": "b"}]}',
  '{"findings": [{"id": "a", "front": "h2", "reason": " "}]}',
  '{"findings": [], "judged": []}',
  '{"findings": [], "judged": {"h2": []}}',
])('%s is no baseline', (text) => {
  writeFileSync(file, text);
  expect(() => Baseline.read(file)).toThrow('is no baseline');
});

test('what is no JSON is named', () => {
  writeFileSync(file, '{"findings": [');
  expect(() => Baseline.read(file)).toThrow(/is no baseline: it is no JSON: .*end of JSON/);
});
