import { counted } from '../../check/words.ts';
import type { DuringView, PhaseView } from '../during/schema.ts';

/** Number of failed requests. */
const failed = ({ errors }: Pick<PhaseView, 'errors'>): number =>
  Object.values(errors).reduce((sum, number) => sum + number, 0);

const count = (value: number): string => value.toLocaleString('en');

/** Whether a request failed, or the command did. */
export const hasFailed = (view: DuringView): boolean =>
  failed(view) > 0 || view.command.exit_code !== 0;

/** What ran, under which load. */
export function duringTitle({ scenario, protocol, rate, command }: DuringView): string {
  const { text, exit_code: code, duration_ms: milliseconds } = command;
  const seconds = (milliseconds / 1000).toFixed(2);
  const end = code === null ? 'ended by a signal' : `exit code ${code}`;
  return `${scenario} ${protocol} at ${count(rate)} requests/s, while running ${text} (${seconds} s, ${end})`;
}

/** A line for each phase, below a head. */
export function duringTable(view: DuringView): readonly (readonly string[])[] {
  return [
    ['', 'requests', 'failed', 'p50 ms', 'p99 ms', 'p99.9 ms', 'max ms'],
    phaseCells('before', view.before),
    phaseCells('during', view.during),
    phaseCells('after', view.after),
  ];
}

function phaseCells(name: string, phase: PhaseView): string[] {
  const { latency_ms: latency } = phase;
  const values = latency ? [latency.p50, latency.p99, latency.p99_9, latency.max] : [];
  return [
    name,
    count(phase.requests),
    count(failed(phase)),
    ...values.map((value) => value.toFixed(2)),
  ];
}

/** What became of the requests that failed, and of those that did not take the usual way. */
export function duringNotes(view: DuringView): string[] {
  const { errors, journal, note } = view;
  const reasons = Object.entries(errors).map(([reason, number]) => `${count(number)} ${reason}`);
  return [
    ...(reasons.length > 0 ? [`failed: ${reasons.join(', ')}`] : []),
    ...(journal ? [`by the journal of the origin: ${journalText(journal)}`] : []),
    ...(note === '' ? [] : [note]),
  ];
}

function journalText(journal: NonNullable<DuringView['journal']>): string {
  const parts = [
    [journal.lost, 'never arrived'],
    [journal.responses_lost, 'arrived, but their responses were lost'],
    [journal.answered_elsewhere, 'were answered without arriving there'],
    [journal.repeated, 'arrived more than once'],
    [journal.unknown, 'are unknown'],
  ] as const;
  const found = parts.flatMap(([number, text]) => (number > 0 ? [`${count(number)} ${text}`] : []));
  return found.length > 0 ? found.join(', ') : 'each arrived once';
}

/** The result in a sentence. */
export function duringVerdict(views: readonly DuringView[]): string {
  const requests = views.reduce((sum, view) => sum + view.requests, 0);
  const errors = views.reduce((sum, view) => sum + failed(view), 0);
  const broken = views.find(({ command }) => command.exit_code !== 0);
  if (broken) return 'The command failed, so this does not say what happens while it runs.';
  if (views.length === 0) return 'Nothing was measured.';
  const lost = views.reduce((sum, { journal }) => sum + (journal?.lost ?? 0), 0);
  const isKnown = views.every(({ journal }) => journal !== null);
  return errors === 0
    ? `No request failed, of ${counted(requests, 'request')}.`
    : `${count(errors)} of ${counted(requests, 'request')} failed${isKnown ? `, of which ${count(lost)} never arrived at the origin` : ''}.`;
}
