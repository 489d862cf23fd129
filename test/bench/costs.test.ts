import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withText } from '../../bench/page.ts';
import { COST_SCENARIOS, costTable } from '../../bench/peers/costs.ts';
import { scenarios } from '../../bench/scenarios.ts';

const page = readFileSync(new URL('../../docs/measured/benchmarking.md', import.meta.url), 'utf8');

function measured(cpuPerRequest: number) {
  const medians = new Map([
    ['wirebin', { samples: [{ cpuPerRequest }] }],
    ['nginx', { samples: [{ cpuPerRequest: undefined }] }],
  ]);
  return new Map(COST_SCENARIOS.map((name) => [name, medians] as const));
}

test('its scenarios are measured', () => {
  const names = new Set(scenarios.map(({ id }) => id));
  expect(COST_SCENARIOS.filter((name) => !names.has(name))).toEqual([]);
});

test('a row for each scenario, in microseconds; a dash where nothing was measured', () => {
  const lines = costTable(measured(0.000_012_34)).split('\n');
  expect(lines).toHaveLength(COST_SCENARIOS.length + 2);
  expect(lines[2]?.split('|').map((cell) => cell.trim())).toEqual([
    '',
    'http/1.1 /healthz',
    '12.3',
    '–',
    '–',
    '–',
    '',
  ]);
});

test('part of the scenarios is not enough', () => {
  const rows = measured(1);
  rows.delete('h2 handshakes');
  expect(() => costTable(rows)).toThrow('--write needs h2 handshakes as well');
});

test('the text is between the markers of docs/measured/benchmarking.md, and nothing else changes', () => {
  const once = withText(page, 'costs', 'first');
  expect(once).toContain('<!-- costs -->\n\nfirst\n\n<!-- /costs -->');
  expect(withText(once, 'costs', 'second')).toBe(once.replace('first', 'second'));
  expect(once.split('<!-- costs -->')[0]).toBe(page.split('<!-- costs -->')[0]);
  expect(() => withText('nothing', 'costs', 'text')).toThrow('no markers');
});
