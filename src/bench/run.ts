import { availableParallelism, cpus, release, type } from 'node:os';
import { versions } from 'node:process';
import { unlessInterrupted } from '../check/exit.ts';
import { NotTestable } from '../check/probe.ts';
import { Progress } from '../check/progress.ts';
import type { Streams } from '../check/streams.ts';
import type { Target } from '../check/target.ts';
import { counted } from '../check/words.ts';
import { VERSION } from '../version.ts';
import { failedGates } from './gates.ts';
import { measureSides, Side, warmUpOf, type LoadSettings } from './measure.ts';
import type { BenchOptions } from './options.ts';
import { ask, closestProtocol, offeredProtocols, type Answer, type Protocol } from './protocol.ts';
import { FORMAT_VERSION, type Report, type Row } from './report/report.ts';
import type { RowPlan } from './notes.ts';
import { verdictOf } from './report/verdict.ts';
import { failedRow, measuredRow } from './row.ts';
import type { Scenario } from './scenarios.ts';

/** The sides of a run. */
export interface Comparison {
  readonly target: Target;
  /** The origin, reached directly; undefined without --direct. */
  readonly direct: Target | undefined;
  /** Whether the origin runs in this process. */
  readonly isSelf: boolean;
  /** Whether both sides run on this machine. */
  readonly isOneMachine: boolean;
}

/** Measures all rows. @throws NotTestable if a side does not lead to a wirebin */
export async function run(
  compared: Comparison,
  chosen: readonly Scenario[],
  options: BenchOptions,
  streams: Streams,
): Promise<Report> {
  const { target, direct } = compared;
  const startedAt = new Date().toISOString();
  const start = performance.now();
  const settings = loadSettings(options);
  const { signal } = streams;
  const plans = await unlessInterrupted(planRows(compared, chosen, options, settings), signal);
  const rows = await measureRows(compared, plans, settings, streams);
  return {
    format: FORMAT_VERSION,
    kind: 'bench',
    wirebin: VERSION,
    node: versions.node,
    target: target.url.origin,
    direct: direct?.url.origin ?? null,
    started_at: startedAt,
    duration_seconds: Math.round((performance.now() - start) / 100) / 10,
    interrupted: signal.aborted,
    settings: {
      rounds: settings.rounds,
      duration_seconds: settings.seconds,
      connections: settings.connections,
      h2_connections: settings.h2Connections,
      streams: settings.streams,
      rate: settings.rate ?? null,
    },
    machine: machineOfLoad(),
    rows,
    failed_gates: failedGates(rows, options),
    verdict: verdictOf(rows),
  };
}

export function machineOfLoad(): Report['machine'] {
  return {
    processor: cpus()[0]?.model ?? '',
    cores: availableParallelism(),
    system: `${type()} ${release()}`,
  };
}

/** Measures rows. @returns the finished rows if the run was interrupted */
async function measureRows(
  compared: Comparison,
  plans: readonly RowPlan[],
  settings: LoadSettings,
  streams: Streams,
): Promise<Row[]> {
  const { signal } = streams;
  const loads = plans.length * settings.rounds * (compared.direct ? 2 : 1) * 2;
  streams.error(`${estimate(plans.length, settings, compared.direct !== undefined)}\n`);
  const progress = new Progress(loads, streams);
  let done = 0;
  const rows: Row[] = [];
  try {
    for (const [at, plan] of plans.entries()) {
      if (signal.aborted) break;
      const name = `${plan.scenario.id} ${plan.protocol}`;
      if (!streams.errorTerminal) streams.error(`row ${at + 1} of ${plans.length}: ${name}\n`);
      const row = await measureRow(compared, plan, settings, signal, () =>
        progress.update(done++, `  ${name}`),
      );
      if (row) rows.push(row);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    progress.end();
  }
  return rows;
}

const timeOf = (load: number): number => load + warmUpOf(load);

/** Estimates how long the run will take, as text. */
function estimate(rows: number, { rounds, seconds }: LoadSettings, isCompared: boolean): string {
  const sides = isCompared ? 2 : 1;
  // With --direct, one load has twice as many connections. Rehearsals take as long as a warm-up.
  const loads = sides * rounds * 2 + (isCompared ? 1 : 0);
  const all = rows * (loads * timeOf(seconds) + sides * 2 * timeOf(warmUpOf(seconds)));
  const time =
    all < 90 ? counted(Math.ceil(all), 'second') : counted(Math.round(all / 60), 'minute');
  return `${counted(rows, 'row')} of ${counted(rounds, 'round')}: about ${time}`;
}

const H1_CONNECTIONS = 16;
const H2_CONNECTIONS = 4;

function loadSettings(options: BenchOptions): LoadSettings {
  const { rounds, duration, connections, streams, rate, timeout } = options;
  return {
    rounds,
    seconds: duration,
    connections: connections ?? H1_CONNECTIONS,
    h2Connections: connections ?? H2_CONNECTIONS,
    streams,
    rate,
    timeout: timeout * 1000,
  };
}

/** Finds out which protocols both sides offer, and plans the rows. @throws NotTestable */
async function planRows(
  { target, direct }: Comparison,
  chosen: readonly Scenario[],
  { protocol: wanted }: BenchOptions,
  { timeout }: LoadSettings,
): Promise<RowPlan[]> {
  const offered = await offeredProtocols(target, 'the target', timeout);
  const past = direct && (await offeredProtocols(direct, 'the origin past the target', timeout));
  const protocols = offered.filter((protocol) => wanted.includes(protocol));
  if (protocols.length === 0) {
    throw new NotTestable(`${target.url.origin} speaks ${offered.join(' and ')} only`);
  }
  return chosen.flatMap((scenario) =>
    protocols.map((protocol) => ({
      scenario,
      protocol,
      direct: past && closestProtocol(protocol, past),
    })),
  );
}

/** Measures a row. @returns undefined if the run was interrupted before both sides have results */
async function measureRow(
  { target, direct, isSelf, isOneMachine }: Comparison,
  plan: RowPlan,
  settings: LoadSettings,
  signal: AbortSignal,
  onLoad: () => void,
): Promise<Row | undefined> {
  const { scenario, protocol } = plan;
  const { timeout } = settings;
  const first = (of: Target, on: Protocol): Promise<Answer> =>
    unlessInterrupted(ask(of, on, scenario, timeout), signal);
  const answer = await first(target, protocol);
  const past = direct && plan.direct && (await first(direct, plan.direct));
  if (answer.failure !== undefined || past?.failure !== undefined)
    return failedRow(plan, answer, past);
  // An origin in this process shares the event loop of the load generator.
  const origin = isSelf ? undefined : direct;
  const sideOf = (of: Target, on: Protocol, { length }: Answer): Side =>
    new Side(
      { target: of, protocol: on, origin },
      scenario,
      settings,
      scenario.isFixedLength ? length : undefined,
    );
  const through = sideOf(target, protocol, answer);
  const other = direct && plan.direct && past && sideOf(direct, plan.direct, past);
  try {
    await measureSides(through, other, { settings, signal, onLoad });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const isPart = through.fullLoads.length === 0 || other?.fullLoads.length === 0;
  if (isPart) return undefined;
  const facts = {
    plan,
    answer,
    isSelf,
    isOneMachine,
    isTlsAdded: target.isSecure && direct?.isSecure === false,
    roundsToDo: signal.aborted ? settings.rounds : undefined,
  };
  return measuredRow(facts, through, other);
}
