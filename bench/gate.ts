import { errorText } from '../src/net/error-text.ts';
import { buildCommit } from './commit.ts';
import { floors, type Floor } from './floors.ts';
import { findWithRepeats, type Judgement } from './judging.ts';
import { begin, pairsOf, takeInTurn, type Measured, type Pairs, type Sample } from './measure.ts';
import { readOptions } from './options.ts';
import { goHttpbin } from './peers/go-httpbin.ts';
import { findProgram, pinToLoad } from './processes.ts';
import { describeMachine, figure, table } from './report.ts';
import { filtered, scenarios, type Scenario } from './scenarios.ts';
import { makeWorkspace, startBare, startMain, startWirebin, type Server } from './servers.ts';

// npm run bench:gate: wirebin beside bare Node and go-httpbin, or beside another commit of wirebin (--against), pair by
// pair; ends with 1 below any floor. What it cannot decide is told, and is no failure.

/** What a change may cost: everything that was fast stays fast. */
const FLOOR_AGAINST_COMMIT = 0.98;

const options = readOptions({ seconds: 0.6, rounds: 5 });
const workspace = await makeWorkspace();
const commit = options.against === undefined ? undefined : buildCommit(options.against);
if (commit) process.once('exit', () => commit.remove());
pinToLoad();
let isLean = false;
let servers = await startBoth();

async function startBoth(): Promise<readonly [wirebin: Server, baseline: Server]> {
  const settings = isLean ? ['--lean'] : [];
  return [
    await startWirebin(workspace, { delay: options.slow, settings }),
    await (commit
      ? startMain(commit.name, workspace, [commit.main], settings)
      : startBare(workspace)),
  ];
}

async function stopBoth(): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}

async function beginBoth(
  scenario: Scenario,
  [wirebin, baseline] = servers,
): Promise<readonly [Measured, Measured]> {
  const [ours, theirs] = [
    await begin(wirebin, scenario, options.seconds),
    await begin(baseline, scenario, options.seconds),
  ];
  if (!ours || !theirs) throw new Error(`there is no ${scenario.id}`);
  return [ours, theirs];
}

/** What go-httpbin serves by; undefined where it is not installed. */
let peers: readonly Server[] | undefined;

async function startPeer({ protocol }: Scenario): Promise<Server | undefined> {
  const program = findProgram(goHttpbin.program);
  if (program !== undefined) peers ??= await goHttpbin.start(program, workspace);
  return peers?.find(({ ports }) => ports[protocol] !== undefined);
}

/** Takes pairs of the same two processes. */
async function measuring(
  scenario: Scenario,
  baseline: Server,
): Promise<(pairs: number) => Promise<Pairs>> {
  const both = await beginBoth(scenario, [servers[0], baseline]);
  return async (pairs) => {
    await takeInTurn(both, pairs);
    return pairsOf(both[0].samples, both[1].samples);
  };
}

/**
 * Takes each pair on processes of its own: two processes of the same program differ by up to a third, which is
 * much more than what a commit may cost.
 */
function measuringAfresh(scenario: Scenario): (pairs: number) => Promise<Pairs> {
  const [ours, theirs]: [Sample[], Sample[]] = [[], []];
  return async (pairs) => {
    for (let pair = 0; pair < pairs; pair++) {
      await stopBoth();
      servers = await startBoth();
      const both = await beginBoth(scenario);
      await takeInTurn(pair % 2 === 0 ? both : both.toReversed(), 1);
      ours.push(...both[0].samples);
      theirs.push(...both[1].samples);
    }
    return pairsOf(ours, theirs);
  };
}

function scenariosOf({ path, protocols }: Floor): Scenario[] {
  return protocols.flatMap((protocol) =>
    scenarios.filter(({ id }) => id === `${protocol} ${path}`),
  );
}

const interval = (judgement: Judgement | undefined): string =>
  judgement === undefined
    ? 'n/a'
    : `${figure(judgement.ratio)} (${judgement.interval.map((each) => figure(each)).join('–')})`;

const rows: string[][] = [];
const notes: string[] = [];
let isGreen = true;
const wanted = floors.filter(
  ({ isShort, peer }) => (isShort || !options.isShort) && !(commit && peer),
);
for (const entry of wanted) {
  const { peer } = entry;
  if (isLean !== (entry.isLean === true)) {
    await stopBoth();
    isLean = !isLean;
    servers = await startBoth();
  }
  const floor = options.floor ?? (commit ? FLOOR_AGAINST_COMMIT : entry.floor);
  for (const scenario of filtered(scenariosOf(entry), options.filter)) {
    const settings = isLean ? ' --lean' : '';
    const name = `${scenario.id}${settings}${peer === undefined ? '' : ` / ${peer}`}`;
    process.stderr.write(`${name}\n`);
    const baseline = peer === undefined ? servers[1] : await startPeer(scenario);
    if (!baseline) {
      notes.push(`${name} was not measured, which needs ${goHttpbin.needs}`);
      continue;
    }
    const head = [name, figure(commit ? 1 : entry.goal), figure(floor)];
    try {
      const measure = commit ? measuringAfresh(scenario) : await measuring(scenario, baseline);
      const { economy, speed, verdict } = await findWithRepeats(measure, floor, options.rounds);
      if (verdict === 'failed') isGreen = false;
      if (verdict === 'undecided') {
        const figures = `CPU ${interval(economy)}, speed ${interval(speed)}`;
        notes.push(`${name} is undecided: ${figures}, floor ${figure(floor)}`);
      }
      rows.push([...head, interval(economy), interval(speed), verdict]);
    } catch (error) {
      isGreen = false;
      rows.push([...head, 'n/a', 'n/a', `failed: ${errorText(error)}`]);
    }
  }
}
await stopBoth();
await Promise.all(peers?.map((server) => server.stop()) ?? []);

const head = ['scenario', 'goal', 'floor', 'economy (98 %)', 'speed (98 %)', 'verdict'];
process.stdout.write(`${table(head, rows)}\n\n${describeMachine()}\n`);
// As .ci/run repeats it at the end.
for (const line of notes) process.stdout.write(`NOTE: ${line}\n`);
if (rows.length === 0) process.stdout.write('nothing was measured\n');
process.exitCode = isGreen && rows.length > 0 ? 0 : 1;
