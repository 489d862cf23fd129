import { expect, test } from 'vitest';
import type { CostView } from '../../../src/bench/cost/schema.ts';
import { costNotes, costTable } from '../../../src/bench/report/cost-table.ts';

const cost: CostView = {
  processes: [
    { pid: 10, name: 'nginx' },
    { pid: 11, name: 'nginx' },
  ],
  cpu_us_per_request: 41.26,
  memory_bytes: { resident: 10_240_000, peak: 12_288_000, proportional: null },
  origin: { requests: 12_345, connections: 2, open_connections: 16 },
  note: '',
};
const unknown: CostView = {
  processes: [],
  cpu_us_per_request: null,
  memory_bytes: null,
  origin: null,
  note: 'It does not run on this machine.',
};
const row = { scenario: 'healthz', protocol: 'h2', target: { cost }, baseline: null };

test('a line for each side of which something is known', () => {
  const table = costTable([row, { ...row, baseline: { cost: unknown } }], null);
  expect(table?.rows).toEqual([
    ['healthz', 'h2', 'target', '2 nginx', '41.3', '10.2', '12.3', '', '12,345', '2', '16'],
    ['healthz', 'h2', 'target', '2 nginx', '41.3', '10.2', '12.3', '', '12,345', '2', '16'],
  ]);
  expect(table?.head).toHaveLength(11);
  const names = { target: 'new', baseline: 'old' };
  const sides = costTable([{ ...row, baseline: { cost } }], names)?.rows.map((cells) => cells[2]);
  expect(sides).toEqual(['new', 'old']);
});

test('without anything there is no table, and each reason is told once', () => {
  const rows = [
    { ...row, target: { cost: unknown } },
    { ...row, target: { cost: unknown } },
    { ...row, target: { cost: null } },
  ];
  expect(costTable(rows, null)).toBeUndefined();
  expect(costNotes(rows, null)).toEqual(['cost of target: It does not run on this machine.']);
});
