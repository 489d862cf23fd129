import { median, medianInterval } from '../src/bench/ratio.ts';
import { errorText } from '../src/net/error-text.ts';
import { scenarios } from './endpoints/scenarios.ts';
import { begin, pairsOf, ratiosOf, takeInTurn, type Measured } from './measure.ts';
import { readOptions } from './options.ts';
import { costOf } from './peers/costs.ts';
import { pinToLoad } from './processes.ts';
import { describeMachine, figure, table } from './report.ts';
import { filtered, type Scenario } from './scenarios.ts';
import { makeWorkspace, startBare, startWirebin } from './servers.ts';

// npm run bench:endpoints: those that httpbin and go-httpbin have, beside bare handlers that do the same.

const GOAL = 0.85;

/** By how much the lengths of the two contents may differ: an echo says more of a connection on HTTP/2. */
const TOLERANCE = 0.25;

const options = readOptions({ seconds: 1, rounds: 7 });
process.env['WIREBIN_BENCH'] = 'a';
const workspace = await makeWorkspace();
const settings = ['--env-prefix=WIREBIN_B', '--hostname-enabled'];
const wirebin = await startWirebin(workspace, { settings });
const bare = await startBare(workspace);
pinToLoad();

/** What others do on the machine only ever adds to a cost. */
const least = ({ samples }: Measured): number =>
  Math.min(...samples.map(({ cpuPerRequest = Number.NaN }) => cpuPerRequest));

/** A row of the table. @throws if one of the two is not asked to do what the other does */
async function measure(scenario: Scenario): Promise<string[]> {
  const ours = await begin(wirebin, scenario, options.seconds);
  const theirs = await begin(bare, scenario, options.seconds);
  if (!ours || !theirs) throw new Error('one of the two has no such protocol');
  const lengths = [ours.length, theirs.length];
  if (Math.min(...lengths) < Math.max(...lengths) * (1 - TOLERANCE)) {
    throw new Error(`${lengths.join(' and ')} bytes of content are compared`);
  }
  await takeInTurn([ours, theirs], options.rounds);
  const ratios = ratiosOf(pairsOf(ours.samples, theirs.samples).economy ?? []);
  const ratio = median(ratios);
  return [
    scenario.id,
    figure(costOf(ours.samples), 1e6),
    figure(costOf(theirs.samples), 1e6),
    figure(ratio),
    medianInterval(ratios, 0.9)
      .map((each) => figure(each))
      .join('–'),
    figure(least(theirs) / least(ours)),
    ratio < GOAL ? 'below' : '',
  ];
}

const rows: string[][] = [];
for (const scenario of filtered(scenarios, options.filter)) {
  process.stderr.write(`${scenario.id}\n`);
  try {
    rows.push(await measure(scenario));
  } catch (error) {
    process.exitCode = 1;
    rows.push([scenario.id, errorText(error)]);
  }
}
await Promise.all([wirebin.stop(), bare.stop()]);
const head = ['endpoint', 'µs', 'bare µs', 'economy', '90 %', 'of the least', `goal ${GOAL}`];
process.stdout.write(`${table(head, rows)}\n\n${describeMachine()}\n`);
