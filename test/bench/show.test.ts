import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runBench } from '../../src/bench/command.ts';
import { terminalReport } from '../../src/bench/report/terminal.ts';
import type { Report, Row } from '../../src/bench/report/report.ts';
import { streams } from '../_streams.ts';
import { report, row } from './_rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'wirebin-show-'));

/** Writes a file, and returns its path. */
function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function show(...args: readonly string[]) {
  let out = '';
  const code = await runBench(['show', ...args], streams({ out: (text) => void (out += text) }));
  return { code, out };
}

/** A row of ten rounds with about so many requests per second, and such latencies in milliseconds. */
function rowOf(rate: number, milliseconds: number, given: Partial<Row> = {}): Row {
  const rounds = Array.from({ length: 10 }, (_, at) => 1 + (at - 5) / 1000);
  const latency = (by: number) => ({
    p50: milliseconds * by,
    p90: milliseconds * 2 * by,
    p99: milliseconds * 3 * by,
    p99_9: milliseconds * 4 * by,
  });
  const target = {
    ...row.target,
    requests_per_second: rate,
    samples: rounds.map((by) => rate * by),
    latency_samples_ms: rounds.map(latency),
  };
  return { ...row, target, direct: null, ...given };
}

const runOf = (...rows: readonly Row[]): Report => ({ ...report, direct: null, rows });

/** A run whose load generator was busy for such a share of the time. */
function busyRun(load_busy: number, given: Partial<Row> = {}): Report {
  const { target, ...rest } = rowOf(1000, 1, given);
  return runOf({ ...rest, target: { ...target, load_busy } });
}

const before = file('before.json', runOf(rowOf(1000, 1)));

describe('two recorded runs', () => {
  test.each<[string, Row, string, RegExp]>([
    [
      'slower',
      rowOf(900, 1),
      'slower',
      /^after is slower than before on healthz http\/1\.1: 10\.0 % /,
    ],
    ['faster', rowOf(1100, 1), 'faster', /^after is faster than before .* more requests\/s /],
    ['late', rowOf(1000, 2), 'slower', /^after is slower than before .*: p50 \+ 1\.00 ms /],
    // They were not measured in turn.
    ['a little slower', rowOf(950, 1), 'undecided', /^Undecided on /],
    ['alike', rowOf(995, 1.01), 'no-difference', /^No difference between after and before on /],
  ])('of which the second is %s', async (_, target, verdict, sentence) => {
    const json = join(folder, 'report.json');
    const after = file('after.json', runOf(target));
    const { code, out } = await show(before, after, '--report', `json=${json}`);
    expect(code, out).toBe(0);
    expect(out.trimEnd().split('\n').at(-1)).toMatch(sentence);
    const compared = JSON.parse(readFileSync(json, 'utf8')) as Report;
    expect(compared).toMatchObject({ names: { target: 'after', baseline: 'before' } });
    expect(compared.rows).toMatchObject([{ verdict, baseline: { requests_per_second: 1000 } }]);
  });

  test.each<[string, Partial<Report>]>([
    ['cores (2, 64)', { machine: { ...report.machine, cores: 64 } }],
    [
      'processor (P, Q), system (Linux 6.18, x)',
      { machine: { cores: 2, processor: 'Q', system: 'x' } },
    ],
    ['version of Node (20.20.2, 24.1.0)', { node: '24.1.0' }],
    ['scheme (https, http)', { target: 'http://lb.example' }],
    ['threads (1, 4)', { settings: { ...report.settings, threads: 4 } }],
    ['rate (none, 500)', { settings: { ...report.settings, rate: 500 } }],
  ])('that differ in %s cannot be compared', async (text, given) => {
    const after = file('other.json', { ...runOf(rowOf(500, 1)), ...given });
    const { code, out } = await show(before, after);
    expect(code).toBe(3);
    expect(out).toContain(
      `\nInvalid on healthz http/1.1: The runs cannot be compared, for they differ in ${text}`,
    );
  });

  test.each<[string, Row]>([
    [
      'The responses have 3 bytes, and those of the baseline 2',
      rowOf(500, 1, { response_bytes: 3 }),
    ],
    ['In after: Too bad', rowOf(500, 1, { verdict: 'invalid', change: 'Too bad.' })],
  ])('rows are invalid: %s', async (text, target) => {
    const { code, out } = await show(before, file('after.json', runOf(target)));
    expect(code).toBe(3);
    expect(out).toContain(`\nInvalid on healthz http/1.1: ${text}.\n`);
  });

  test('with an origin that was another are invalid', async () => {
    const direct = (rate: number) => rowOf(rate, 1).target;
    const older = file('older.json', runOf(rowOf(1000, 1, { direct: direct(2000) })));
    const newer = (rate: number) =>
      file('newer.json', runOf(rowOf(500, 1, { direct: direct(rate) })));
    const { out } = await show(older, newer(1000));
    expect(out).toContain(
      '\nInvalid on healthz http/1.1: Past the targets, newer is slower than older',
    );
    const same = await show(older, newer(1999));
    expect(same.out).toContain('\nnewer is slower than older on ');
    expect(same.out).not.toContain('Not both runs have --direct');
    const late = runOf(rowOf(500, 2, { direct: rowOf(2000, 3).target }));
    expect((await show(older, file('newer.json', late))).out).toContain(
      '\nInvalid on healthz http/1.1: Past the targets, newer is slower than older',
    );
  });

  test('without a direct side say what was not checked', async () => {
    expect((await show(before, before)).out).toContain(
      '\nhealthz http/1.1: Not both runs have --direct, so that it is not known',
    );
  });

  test('have limits as if they had been measured in turn', async () => {
    const nearly = await show(file('a.json', busyRun(0.88)), file('b.json', busyRun(0.89)));
    expect(nearly.out).toMatch(/^healthz +http\/1\.1 +requests\/s .* unknown +undecided$/m);
    const held = await show(file('a.json', busyRun(0.5)), file('b.json', busyRun(0.95)));
    expect(held.code).toBe(3);
    expect(held.out).toContain(
      ': The load generator was busy for 95 % of the time through the target.',
    );
    const origin = file('a.json', busyRun(0.5, { limited_by: 'origin' }));
    const same = await show(origin, origin);
    expect(same.code).toBe(3);
    expect(same.out).toContain('\nInvalid on healthz http/1.1: The origin was the limit.');
  });

  test('at other rates have latencies that are not compared', async () => {
    const target = rowOf(1000, 9);
    const after = runOf({ ...target, target: { ...target.target, rate: 600 } });
    const { code, out } = await show(before, file('after.json', after));
    expect(code).toBe(0);
    expect(out).toContain(
      'Latencies are not compared, for they are those at 500 and at 600 requests/s',
    );
    expect(out).not.toMatch(/^healthz +http\/1\.1 +p50 ms/m);
  });

  test('that were not measured are told as such', async () => {
    const { target, ...rest } = rowOf(0, 1);
    const nothing = { ...target, rate: 0, samples: [], latency_samples_ms: [], latency_ms: null };
    const failed = file('failed.json', runOf({ ...rest, target: nothing }));
    const { out } = await show(failed, failed);
    expect(out).toMatch(/\nNot measured on healthz http\/1\.1\.\n$/);
    expect(out).not.toContain('Latencies are not compared');
  });

  test('rows that only one of them has are named', async () => {
    const both = runOf(rowOf(900, 1), rowOf(900, 1, { protocol: 'h2' }));
    const { code, out } = await show(before, file('after.json', both));
    expect(code).toBe(0);
    expect(out).toMatch(/ 10\.0 % fewer requests\/s \(.*\)\. Not in both reports: healthz h2\.\n$/);
    const other = await show(before, file('after.json', runOf(rowOf(900, 1, { protocol: 'h2' }))));
    expect(other.code).toBe(3);
    expect(other.out).toMatch(
      /\nNo row is in both reports\. Not in both reports: healthz http\/1\.1, healthz h2\.\n$/,
    );
  });

  test('with the same file name are named by their paths', async () => {
    const { out } = await show(before, before);
    expect(out).toContain(`\nNo difference between ${before} and ${before} on `);
  });
});

test('one recorded run is shown again, with its exit code', async () => {
  expect(await show(file('a.json', report))).toEqual({
    code: 0,
    out: terminalReport(report, false),
  });
  const failed = { ...report, interrupted: true, failed_gates: ['healthz h2: slow'] };
  expect((await show(file('a.json', failed))).code).toBe(130);
  expect((await show(file('a.json', { ...failed, interrupted: false }))).code).toBe(1);
  const invalid = { ...report, rows: [{ ...row, verdict: 'invalid', change: 'x' }] };
  expect((await show(file('a.json', invalid))).code).toBe(3);
});

test('limits of rates and latencies are those of the recorded run', async () => {
  const recorded = file('a.json', { ...report, failed_gates: ['healthz h2: slow'] });
  const { code, out } = await show(recorded, '--min-rate', '100000');
  expect(code).toBe(1);
  expect(out).toContain(
    'missed: healthz h2: slow\nmissed: healthz http/1.1: 1000 requests/s; --min-rate asks for 100000\n',
  );
  const after = file('after.json', runOf(rowOf(1000, 1.5)));
  expect((await show(before, after, '--max-added-p99', '1s')).code).toBe(0);
  const added = await show(before, after, '--max-added-p99', '1ms');
  expect(added).toMatchObject({ code: 1 });
  expect(added.out).toMatch(/\nmissed: healthz http\/1\.1: p99 \+ 1\.49/);
});

test('what a later format has in addition is ignored', async () => {
  const later = { ...report, format: '2.7', further: 1, rows: [{ ...row, further: [] }] };
  expect((await show(file('later.json', later))).code).toBe(0);
});

describe('a usage error is', () => {
  const { metrics, ...rest } = row;
  test.each<[string, () => readonly string[], string]>([
    ['no file', () => [], 'a JSON report is required'],
    ['three files', () => ['a', 'b', 'c'], 'unexpected argument c'],
    ['a file that is not there', () => [join(folder, 'none')], 'none cannot be used: ENOENT'],
    ['no JSON', () => [file('x', '{')], 'x is no JSON report of wirebin bench'],
    ['a list', () => [file('x', [])], 'x is no JSON report of wirebin bench'],
    [
      'a report of check',
      () => [file('x', { checks: [] })],
      'x is no JSON report of wirebin bench',
    ],
    [
      'an old format',
      () => [file('x', { ...report, format: '1.0' })],
      'x has the format "1.0"; this wirebin reads 2.x',
    ],
    ['no format', () => [file('x', { kind: 'bench' })], 'x has the format null'],
    [
      'a long format',
      () => [file('x', { kind: 'bench', format: 'y'.repeat(1e6) })],
      'x has the format "yyyyyyyyyyyyyyyyyyy;',
    ],
    [
      'a row without a member',
      () => [file('x', { ...report, rows: [rest] })],
      'x is no whole report',
    ],
    [
      'a number that is a text',
      () => [file('x', { ...report, rows: [{ ...row, metrics: { ...metrics, p50_ms: '1' } }] })],
      'x is no whole report',
    ],
    [
      'an unknown word',
      () => [file('x', { ...report, rows: [{ ...row, verdict: 'good' }] })],
      'x is no whole report',
    ],
    [
      'more rows than a run can have',
      () => [file('x', { ...report, rows: Array.from({ length: 1001 }, () => row) })],
      'x is no whole report',
    ],
    [
      'a run with --during',
      () => [before, file('x', { ...report, rows: [], during: [] })],
      'x is of a run with --during, which has no rows to compare',
    ],
    ['a flag of a run', () => [before, '--time', '1m'], 'show takes no --time'],
    ['the second file', () => [before, file('x', 'null')], 'x is no JSON report of wirebin bench'],
  ])('%s', async (_, args, message) => {
    await expect(show(...args())).rejects.toThrow(message);
    await expect(show(...args())).rejects.toHaveProperty('name', 'SettingsError');
  });
});

const foundOf = (rate: number, condition = 'p99<5ms'): Pick<Row, 'found'> => {
  const side = { rate, low: rate - 10, high: rate + 10, trials: 20, note: '' };
  const target = { ...side, limited_by: 'side' } as const;
  return { found: { condition, target, baseline: null, direct: target } };
};

test('rates that were found are compared if they are of the same condition', async () => {
  const old = file('old.json', runOf(rowOf(1000, 1, foundOf(800))));
  const now = file('new.json', runOf(rowOf(1000, 1, foundOf(900))));
  const { out } = await show(old, now);
  expect(out).toMatch(/\nhealthz http\/1\.1 {2}new +900 +890-910\n +old +800 +790-810\n/);
  const other = file('other.json', runOf(rowOf(1000, 1, foundOf(900, 'p99<9ms'))));
  expect((await show(old, other)).out).not.toContain('Highest rate');
});
