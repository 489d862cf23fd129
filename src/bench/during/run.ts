import { unlessInterrupted } from '../../check/exit.ts';
import { NotTestable } from '../../check/probe.ts';
import type { Streams } from '../../check/streams.ts';
import type { Target } from '../../check/target.ts';
import { counted } from '../../check/words.ts';
import { keptRate, Side, type LoadSettings } from '../measure.ts';
import type { RowPlan } from '../notes.ts';
import { ask } from '../ask.ts';
import { measureDuring } from './during.ts';
import type { DuringView } from './schema.ts';
import { duringView } from './view.ts';

/** Requests per second, unless --rate says otherwise. */
const RATE = 1000;
/** Seconds before the command, and after it, unless --duration says otherwise. */
export const DURING_SECONDS = 5;

/** The target, and what the journal is read from. */
interface Sides {
  readonly target: Target;
  /** The origin, reached directly; undefined without --direct. */
  readonly direct: Target | undefined;
}

/**
 * Runs the command once for each plan, under its load.
 *
 * @returns what is finished, if the run was interrupted
 * @throws NotTestable if a response is wrong before the load
 */
export async function runDuring(
  sides: Sides,
  plans: readonly Pick<RowPlan, 'scenario' | 'protocol'>[],
  { command, settings }: { readonly command: string; readonly settings: LoadSettings },
  streams: Streams,
): Promise<DuringView[]> {
  const { signal } = streams;
  const { seconds } = settings;
  streams.error(
    `${counted(plans.length, 'row')} of ${2 * seconds} s and the time of the command\n`,
  );
  const views: DuringView[] = [];
  try {
    for (const [at, plan] of plans.entries()) {
      const name = `${plan.scenario.id} ${plan.protocol}`;
      streams.error(`row ${at + 1} of ${plans.length}: ${name}\n`);
      views.push(await measurePlan(sides, plan, command, settings, signal));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return views;
}

async function measurePlan(
  { target, direct }: Sides,
  { scenario, protocol }: Pick<RowPlan, 'scenario' | 'protocol'>,
  command: string,
  settings: LoadSettings,
  signal: AbortSignal,
): Promise<DuringView> {
  const { seconds, timeout, rate: wanted = RATE } = settings;
  const { failure, length } = await unlessInterrupted(
    ask(target, protocol, scenario, timeout),
    signal,
  );
  if (failure !== undefined) {
    throw new NotTestable(`${scenario.id} on ${protocol} has ${failure} without any load`);
  }
  const side = new Side(
    { target, protocol, origin: undefined },
    scenario,
    settings,
    scenario.isFixedLength ? length : undefined,
  );
  const rate = await keptRate([side], wanted, signal);
  const journal = direct ?? target;
  const load = { side, scenario, target, journal, command, rate, seconds, timeout, signal };
  const measured = await measureDuring(load);
  const lowered = rate < wanted ? [`${wanted.toLocaleString('en')} requests/s were too many.`] : [];
  return duringView({ ...measured, notes: [...lowered, ...measured.notes] });
}
