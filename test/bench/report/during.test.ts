import { expect, test } from 'vitest';
import type { DuringView } from '../../../src/bench/during/schema.ts';
import {
  duringNotes,
  duringPlot,
  duringTable,
  duringVerdict,
  hasFailed,
} from '../../../src/bench/report/during.ts';
import { during as view, NONE } from './_during.ts';

const broken: DuringView = {
  ...view,
  errors: { timeout: 3, 'connection reset': 4 },
  during: { ...view.during, errors: { timeout: 3, 'connection reset': 4 } },
  journal: { lost: 5, responses_lost: 2, answered_elsewhere: 3, repeated: 1, unknown: 6 },
  note: 'The rate was too high.',
};

test('what ran, and a line for each phase', () => {
  expect(duringTable(view).caption).toBe(
    'healthz h2 at 1,000 requests/s, while running reload it (1.23 s, exit code 0)',
  );
  const { command } = view;
  expect(duringTable({ ...view, command: { ...command, exit_code: null } }).caption).toContain(
    '(1.23 s, ended by a signal)',
  );
  const { head, rows } = duringTable(broken);
  expect([head, ...rows]).toEqual([
    ['when', 'requests', 'failed', 'p50 ms', 'p99 ms', 'p99.9 ms', 'max ms'],
    ['before', '1,000', '0', '1.00', '3.00', '4.00', '5.00'],
    ['during', '2,000', '7', '', '', '', ''],
    ['after', '1,000', '0', '1.50', '3.00', '4.00', '5.00'],
  ]);
});

test('what became of the requests', () => {
  expect(duringNotes(view)).toEqual(['By the journal of the origin: each arrived once.']);
  expect(duringNotes(broken)).toEqual([
    'Failed: 3 timeout, 4 connection reset.',
    'By the journal of the origin: 5 never arrived, 2 arrived but their responses were lost, 3 were answered without arriving there, 1 arrived more than once, 6 are unknown.',
    'The rate was too high.',
  ]);
  expect(duringNotes({ ...view, not_sent: 3 })[0]).toContain('within --timeout: 3 of these.');
  expect(duringNotes({ ...view, journal: null })).toEqual([]);
  expect(duringNotes({ ...view, load_lag_ms: 2.34 }).at(-1)).toContain('more than 2.3 ms late');
});

test('failures are marked in the plot above the time in which they were due', () => {
  const lines = duringPlot(view);
  expect(lines.some((line) => line.includes('!'))).toBe(true);
  expect(lines.at(-2)).toContain('^ the command begins');
  expect(duringPlot({ ...view, buckets: [] })).toEqual([]);
});

test('the result in a sentence', () => {
  expect(duringVerdict([])).toBe('Nothing was measured.');
  expect(duringVerdict([view, view])).toBe('No request failed, of 8,000.');
  expect(duringVerdict([view, broken])).toBe(
    '7 of 8,000 requests failed: 5 never arrived at the origin, and the responses of 2 were lost.',
  );
  expect(duringVerdict([{ ...broken, journal: NONE, not_sent: 7 }])).toBe(
    '7 of 4,000 requests failed: 7 were not sent.',
  );
  expect(duringVerdict([{ ...broken, journal: NONE }])).toBe('7 of 4,000 requests failed.');
  expect(duringVerdict([{ ...broken, journal: null }])).toBe('7 of 4,000 requests failed.');
  const failed = { ...view, command: { ...view.command, exit_code: 1 } };
  expect(duringVerdict([view, failed])).toBe(
    'The command failed with exit code 1: the load does not show what happens when it succeeds.',
  );
  expect([view, broken, failed].map(hasFailed)).toEqual([false, true, false]);
});
