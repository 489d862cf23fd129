import { expect, test } from 'vitest';
import { benchHelp } from '../../src/bench/help.ts';
import { options, readBenchOptions, variableOf } from '../../src/bench/options.ts';
import { scenarios } from '../../src/bench/scenarios.ts';
import { flagOf } from '../../src/settings/settings.ts';

test('--help has every option, its variable, and every scenario', () => {
  const help = benchHelp();
  for (const name of Object.keys(options)) {
    expect(help).toContain(`--${flagOf(name)}`);
    expect(help).toContain(variableOf(name));
  }
  for (const { id } of scenarios) expect(help).toContain(`  ${id}`);
});

test('flags and variables', () => {
  const args = ['--duration', '200ms', '--protocol', 'h2,http/1.1', '--max-added-p99', '500us'];
  const { options: read } = readBenchOptions(args, { WIREBIN_BENCH_ROUNDS: '3' });
  expect(read).toMatchObject({
    duration: 0.2,
    protocol: ['http/1.1', 'h2'],
    maxAddedP99: 0.0005,
    rounds: 3,
    rate: undefined,
    connections: undefined,
  });
});

test.each([
  [['--duration', '50ms'], "--duration cannot be '50ms'; allowed: from 0.1s to 1h"],
  [['--rate', '0'], "--rate cannot be '0'"],
  [['--protocol', 'h3'], 'allowed: comma-separated, from http/1.1, h2, h2c'],
  [['--rond', '1'], 'unknown option --rond; did you mean --rounds?'],
  [['--x'], 'unknown option --x; see wirebin bench --help'],
])('%j is refused', (args, message) => {
  expect(() => readBenchOptions(args, {})).toThrow(message);
});
