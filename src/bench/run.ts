import { availableParallelism, cpus, release, type } from 'node:os';
import { versions } from 'node:process';
import { unlessInterrupted } from '../check/exit.ts';
import { NotTestable } from '../check/probe.ts';
import { Progress } from '../check/progress.ts';
import type { Streams } from '../check/streams.ts';
import type { Target } from '../check/target.ts';
import { VERSION } from '../version.ts';
import { ofSides, type OfSides } from './disturbance.ts';
import type { Comparison } from './comparison.ts';
import { DURING_SECONDS, runDuring } from './during/run.ts';
import { duringVerdict } from './report/during.ts';
import { costMeters, type Costs } from './cost/sides.ts';
import { failedGates } from './gates.ts';
import { LoadThreads } from './load/load-threads.ts';
import {
  measureRates,
  ratesEstimate,
  type RateOptions,
  type RateRun,
  type RowRates,
} from './rates/row-rates.ts';
import { measureSides, Side, type LoadSettings, type RoundOptions } from './measure.ts';
import type { BenchOptions } from './options.ts';
import { ask, isOffered, type Answer } from './ask.ts';
import { closestProtocol, offeredProtocols } from './offered-protocols.ts';
import type { Protocol } from './protocol.ts';
import { FORMAT_VERSION, type Report, type Row } from './report/report.ts';
import type { RowFacts, RowPlan } from './notes.ts';
import { verdictOf } from './report/verdict.ts';
import { estimate, fullSecondsOf, roundPlan, rowTime, type RoundPlan } from './round-plan.ts';
import { failedRow, isClear, measuredRow } from './row.ts';
import type { Scenario } from './scenarios.ts';

/** Measures all rows. @throws NotTestable if a side does not lead to a wirebin */
export async function run(
  compared: Comparison,
  chosen: readonly Scenario[],
  options: BenchOptions,
  streams: Streams,
): Promise<Report> {
  const { target, baseline, direct, names } = compared;
  const startedAt = new Date().toISOString();
  const start = performance.now();
  const { signal } = streams;
  const costs = await unlessInterrupted(costMeters(compared, options), signal);
  const plans = await unlessInterrupted(planRows(compared, chosen, options), signal);
  const sides = [target, baseline, direct].filter(Boolean).length;
  const { during: command } = options;
  const duration = options.duration ?? (command === undefined ? undefined : DURING_SECONDS);
  const rounds = roundPlan({ ...options, duration }, plans.length, sides);
  const settings = loadSettings(options, rounds);
  const during =
    command === undefined
      ? undefined
      : await runDuring(compared, plans, { command, settings }, streams);
  if (!during) {
    streams.error(`${estimate(rounds, plans.length, sides)}\n`);
    streams.error(ratesEstimate(options, rounds, plans.length * sides));
  }
  const all = { settings, rounds, rates: options };
  const rows = during ? [] : await measureRows({ ...compared, costs }, plans, all, streams);
  return {
    format: FORMAT_VERSION,
    kind: 'bench',
    wirebin: VERSION,
    node: versions.node,
    target: target.name,
    baseline: baseline?.name ?? null,
    direct: direct?.name ?? null,
    names,
    started_at: startedAt,
    duration_seconds: Math.round((performance.now() - start) / 100) / 10,
    interrupted: signal.aborted,
    settings: {
      rounds: rounds.rounds,
      time_seconds: rounds.time ?? null,
      duration_seconds: rounds.seconds,
      connections: settings.connections,
      h2_connections: settings.h2Connections,
      streams: settings.streams,
      threads: options.threads,
      rate: settings.rate ?? null,
    },
    machine: machineOfLoad(),
    rows,
    failed_gates: failedGates(rows, options),
    ...(during && { during }),
    verdict: during ? duringVerdict(during) : verdictOf(rows, names),
  };
}

export function machineOfLoad(): Report['machine'] {
  return {
    processor: cpus()[0]?.model ?? '',
    cores: availableParallelism(),
    system: `${type()} ${release()}`,
  };
}

/** The sides of a run, and what measures their costs. */
interface Measured extends Comparison {
  readonly costs: Costs;
}

interface RunSettings {
  readonly settings: LoadSettings;
  readonly rounds: RoundPlan;
  readonly rates: RateOptions;
}

/** Measures rows. @returns the finished rows if the run was interrupted */
async function measureRows(
  compared: Measured,
  plans: readonly RowPlan[],
  { settings, rounds, rates }: RunSettings,
  streams: Streams,
): Promise<Row[]> {
  const { signal } = streams;
  const progress = new Progress(plans.length, 'rows', streams);
  let runEnd = performance.now() + (rounds.time ?? Infinity) * 1000;
  const rows: Row[] = [];
  try {
    for (const [at, plan] of plans.entries()) {
      if (signal.aborted) break;
      const name = `${plan.scenario.id} ${plan.protocol}`;
      if (!streams.errorTerminal) streams.error(`row ${at + 1} of ${plans.length}: ${name}\n`);
      progress.update(at, `; ${name}`);
      const time = rowTime(rounds, runEnd, plans.length - at);
      const least = `of at least ${time.rounds}`;
      const onRound = (round: number) => progress.update(at, `; ${name}, round ${round} ${least}`);
      const onTrial = (rate: number) => progress.update(at, `; ${name}, ${Math.round(rate)}/s`);
      // --find and --sweep take time beyond that of --time.
      const onRates = (milliseconds: number) => void (runEnd += milliseconds);
      const { isOneMachine } = compared;
      const options = { settings, signal, time, onRound, onTrial, onRates, rates, isOneMachine };
      const row = await measureRow(compared, plan, options);
      if (row) rows.push(row);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    progress.end();
    await settings.threads?.close();
  }
  return rows;
}

const H1_CONNECTIONS = 16;
const H2_CONNECTIONS = 4;

function loadSettings(options: BenchOptions, plan: RoundPlan): LoadSettings {
  const { connections, streams, rate, timeout, threads } = options;
  return {
    seconds: plan.seconds,
    fullSeconds: fullSecondsOf(plan),
    connections: connections ?? H1_CONNECTIONS,
    h2Connections: connections ?? H2_CONNECTIONS,
    streams,
    rate,
    timeout: timeout * 1000,
    threads: threads > 1 ? new LoadThreads(threads) : undefined,
  };
}

/** Finds out which protocols all sides offer, and plans the rows. @throws NotTestable */
async function planRows(
  { target, baseline, direct, names }: Comparison,
  chosen: readonly Scenario[],
  { protocol: wanted, timeout: seconds }: BenchOptions,
): Promise<RowPlan[]> {
  const timeout = seconds * 1000;
  const offered = await offeredProtocols(target, names?.target ?? 'the target', timeout);
  const others = baseline && (await offeredProtocols(baseline, names?.baseline ?? '', timeout));
  const past = direct && (await offeredProtocols(direct, 'the origin past the target', timeout));
  const protocols = offered.filter((protocol) => wanted.includes(protocol));
  if (protocols.length === 0) {
    throw new NotTestable(`${target.name} speaks ${offered.join(' and ')} only`);
  }
  const plans: RowPlan[] = [];
  for (const scenario of chosen) {
    for (const protocol of protocols) {
      if (!(await isOffered(scenario, target, protocol, timeout))) continue;
      plans.push({
        scenario,
        protocol,
        baseline: others && closestProtocol(protocol, others),
        direct: past && closestProtocol(protocol, past),
      });
    }
  }
  if (plans.length > 0) return plans;
  const ids = chosen.map(({ id }) => id).join(', ');
  throw new NotTestable(`${target.name} does not offer what ${ids} needs`);
}

/** Measures a row. @returns undefined if the run was interrupted before all sides have results */
async function measureRow(
  compared: Measured,
  plan: RowPlan,
  options: Omit<RoundOptions, 'isClear'> & RateRun & { onRates: (milliseconds: number) => void },
): Promise<Row | undefined> {
  const { target, direct, costs, isSelf, isOneMachine } = compared;
  const { settings, signal, time } = options;
  const { scenario } = plan;
  const { timeout } = settings;
  const planned = plannedSides(compared, plan);
  const first = ({ of, on }: PlannedSide): Promise<Answer> =>
    unlessInterrupted(ask(of, on, scenario, timeout), signal);
  const answers = {
    target: await first(planned.target),
    baseline: planned.baseline && (await first(planned.baseline)),
    direct: planned.direct && (await first(planned.direct)),
  };
  const isWrong = Object.values(answers).some((answer) => answer?.failure !== undefined);
  if (isWrong) return failedRow(plan, answers);
  // An origin in this process shares the event loop of the load generator.
  const origin = isSelf ? undefined : direct;
  const sides = ofSides(planned, ({ of, on, name }) => {
    const length = scenario.isFixedLength ? answers[name]?.length : undefined;
    const digests = scenario.isHashed === true ? answers[name]?.digests : undefined;
    const cost = name === 'direct' ? undefined : costs[name];
    return new Side(
      { target: of, protocol: on, origin, ...(cost && { cost }) },
      scenario,
      settings,
      length,
      digests,
    );
  });
  const facts = {
    plan,
    answer: answers.target,
    baselineAnswer: answers.baseline,
    isSelf,
    isOneMachine,
    tlsOf: tlsOf(target, compared.baseline ?? direct),
  };
  let rates: RowRates = {};
  try {
    await measureSides(sides, { ...options, isClear: (of) => isClear(of, facts, sides) });
    const start = performance.now();
    rates = await measureRates(sides, options);
    options.onRates(performance.now() - start);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const isPart = Object.values(sides).some((side) => side?.fullLoads.length === 0);
  if (isPart) return undefined;
  const roundsToDo = signal.aborted ? time.rounds : undefined;
  return { ...measuredRow({ ...facts, roundsToDo }, sides), ...rates };
}

/** Which side alone is reached by TLS. */
function tlsOf(target: Target, baseline: Target | undefined): RowFacts['tlsOf'] {
  if (!baseline || baseline.isSecure === target.isSecure) return undefined;
  return target.isSecure ? 'target' : 'baseline';
}

interface PlannedSide {
  readonly of: Target;
  readonly on: Protocol;
  readonly name: keyof OfSides<unknown>;
}

function plannedSides(
  { target, baseline, direct }: Comparison,
  plan: RowPlan,
): OfSides<PlannedSide> {
  return {
    target: { of: target, on: plan.protocol, name: 'target' },
    baseline: baseline && plan.baseline && { of: baseline, on: plan.baseline, name: 'baseline' },
    direct: direct && plan.direct && { of: direct, on: plan.direct, name: 'direct' },
  };
}
