import { createWorkspace } from './certificate.ts';
import { buildCommit } from './commit.ts';
import { floors, type Floor } from './floors.ts';
import { findWithRepeats, together } from './judging.ts';
import { measureInTurn, ratiosOf, type Ratios } from './measure.ts';
import { readOptions } from './options.ts';
import { describeMachine, endProgress, figure, progress, table } from './report.ts';
import { filtered, scenarios, type Scenario } from './scenarios.ts';
import { startBare, startCommit, startWirebin, type Server } from './servers.ts';
import type { Judgement } from './statistics.ts';

// npm run bench:gate: wirebin beside bare Node, or beside another commit of wirebin (--against), pair by
// pair; ends with 1 below any floor. What it cannot decide is told, and is no failure.

/** What a change may cost: everything that was fast stays fast. */
const FLOOR_AGAINST_COMMIT = 0.98;

const options = readOptions({ seconds: 0.6, rounds: 5 });
const workspace = await createWorkspace();
const commit = options.against === undefined ? undefined : buildCommit(options.against);
if (commit) process.once('exit', () => commit.remove());
let servers = await startBoth();

async function startBoth(): Promise<readonly [wirebin: Server, baseline: Server]> {
  return [
    await startWirebin(workspace, options.slow),
    await (commit ? startCommit(workspace, commit) : startBare(workspace)),
  ];
}

async function stopBoth(): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}

async function measure(scenario: Scenario, rounds: number): Promise<Ratios> {
  const [wirebin, baseline] = servers;
  const effort = { seconds: options.seconds, rounds, latencies: false, onProgress: progress };
  const samples = await measureInTurn([wirebin, baseline], scenario, effort);
  return ratiosOf(samples.get(wirebin) ?? [], samples.get(baseline) ?? []);
}

/**
 * Measures each pair on processes of its own: two processes of the same program differ by up to a third, which is
 * much more than what a commit may cost.
 */
async function measureAfresh(scenario: Scenario, rounds: number): Promise<Ratios> {
  let all = await measure(scenario, 1);
  for (let round = 1; round < rounds; round++) {
    await stopBoth();
    servers = await startBoth();
    all = together(all, await measure(scenario, 1));
  }
  return all;
}

function scenariosOf({ path, protocols }: Floor): Scenario[] {
  return protocols.flatMap((protocol) =>
    scenarios.filter(({ name }) => name === `${protocol} ${path}`),
  );
}

const interval = (judgement: Judgement | undefined): string =>
  judgement === undefined
    ? 'n/a'
    : `${figure(judgement.ratio)} (${judgement.interval.map((each) => figure(each)).join('–')})`;

const rows: string[][] = [];
const undecided: string[] = [];
let isGreen = true;
for (const entry of floors.filter(({ isShort }) => isShort || !options.isShort)) {
  const floor = options.floor ?? (commit ? FLOOR_AGAINST_COMMIT : entry.floor);
  for (const scenario of filtered(scenariosOf(entry), options.filter)) {
    try {
      const measuring = commit ? measureAfresh : measure;
      const found = await findWithRepeats(
        (pairs) => measuring(scenario, pairs),
        floor,
        options.rounds,
      );
      const { economy, speed, verdict } = found;
      if (verdict === 'failed') isGreen = false;
      if (verdict === 'undecided') {
        const figures = `CPU ${interval(economy)}, speed ${interval(speed)}`;
        undecided.push(`${scenario.name} is undecided: ${figures}, floor ${figure(floor)}`);
      }
      rows.push([
        scenario.name,
        figure(commit ? 1 : entry.goal),
        figure(floor),
        interval(economy),
        interval(speed),
        verdict,
      ]);
    } catch (error) {
      isGreen = false;
      rows.push([
        scenario.name,
        figure(commit ? 1 : entry.goal),
        figure(floor),
        'n/a',
        'n/a',
        `failed: ${String(error)}`,
      ]);
    }
  }
}
await stopBoth();
endProgress();

const head = ['scenario', 'goal', 'floor', 'economy (98 %)', 'speed (98 %)', 'verdict'];
process.stdout.write(`${table(head, rows)}\n\n${JSON.stringify(describeMachine())}\n`);
// As .ci/run repeats it at the end.
for (const line of undecided) process.stdout.write(`NOTE: ${line}\n`);
if (rows.length === 0) process.stdout.write('nothing was measured\n');
process.exitCode = isGreen && rows.length > 0 ? 0 : 1;
