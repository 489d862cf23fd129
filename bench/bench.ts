import { writeFileSync } from 'node:fs';
import { createWorkspace } from './certificate.ts';
import { measureInTurn, mediansOf, ratiosOf, type Sample } from './measure.ts';
import { readOptions } from './options.ts';
import { describeMachine, endProgress, figure, progress, table } from './report.ts';
import { filtered, scenarios, type Scenario } from './scenarios.ts';
import { startBare, startWirebin } from './servers.ts';
import { median } from './statistics.ts';

// npm run bench: every scenario, wirebin in turn with bare Node.

interface Row {
  readonly scenario: Scenario;
  readonly server: string;
  readonly medians: Sample;
  /** To the baseline; 1 for the baseline itself. */
  readonly speed: number;
  readonly economy: number | undefined;
}

const HEAD = [
  'scenario',
  'server',
  'requests/s',
  'MB/s',
  'p50 ms',
  'p99 ms',
  'CPU µs/request',
  'server core',
  'load core',
  'peak MiB',
  'speed',
  'economy',
];

function cells({ scenario, server, medians, speed, economy }: Row): string[] {
  const { length } = scenario;
  return [
    scenario.name,
    server,
    figure(medians.requestsPerSecond),
    figure(length === undefined ? undefined : (medians.requestsPerSecond * length) / 1e6),
    figure(medians.p50),
    figure(medians.p99),
    figure(medians.cpuPerRequest, 1e6),
    `${figure(medians.serverShare, 100)} %`,
    `${figure(medians.loadShare, 100)} %`,
    figure(medians.peakMemory, 1 / 1024 ** 2),
    figure(speed),
    figure(economy),
  ];
}

const options = readOptions({ seconds: 2, rounds: 5 });
const workspace = await createWorkspace();
const [wirebin, bare] = [await startWirebin(workspace), await startBare(workspace)];
const effort = { ...options, latencies: true, onProgress: progress };
const rows: Row[] = [];
const failures: string[] = [];
const wanted = filtered(scenarios, options.filter);
for (const [at, scenario] of wanted.entries()) {
  progress(`[${at + 1}/${wanted.length}] ${scenario.name}`);
  try {
    const samples = await measureInTurn([wirebin, bare], scenario, effort);
    const [ours, theirs] = [samples.get(wirebin) ?? [], samples.get(bare) ?? []];
    const { speed, economy } = ratiosOf(ours, theirs);
    rows.push(
      {
        scenario,
        server: wirebin.name,
        medians: mediansOf(ours),
        speed: median(speed),
        economy: economy && median(economy),
      },
      { scenario, server: bare.name, medians: mediansOf(theirs), speed: 1, economy: 1 },
    );
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error));
  }
}
await Promise.all([wirebin.stop(), bare.stop()]);
endProgress();

const machine = describeMachine();
process.stdout.write(`${table(HEAD, rows.map(cells))}\n\n${JSON.stringify(machine)}\n`);
for (const failure of failures) process.stdout.write(`FAILED: ${failure}\n`);
if (options.json !== undefined) {
  const { seconds, rounds } = options;
  const results = { date: new Date().toISOString(), machine, seconds, rounds, rows, failures };
  writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`);
}
process.exitCode = failures.length === 0 ? 0 : 1;
