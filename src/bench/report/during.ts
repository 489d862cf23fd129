import type { DuringView, PhaseView } from '../during/schema.ts';
import { count, decimal, type Table } from './cells.ts';
import { plotLines } from './plot.ts';
import { textLines } from './text-lines.ts';

/** Minimum lag of the load that the notes mention, in milliseconds. */
const LATE = 1;

/** Number of failed requests. */
const failed = ({ errors }: Pick<PhaseView, 'errors'>): number =>
  Object.values(errors).reduce((sum, number) => sum + number, 0);

/** Whether a request failed. */
export const hasFailed = (view: DuringView): boolean => failed(view) > 0;

/** The first load whose command failed. */
export const brokenOf = (views: readonly DuringView[]): DuringView | undefined =>
  views.find(({ command }) => command.exit_code !== 0);

/** What was measured, in paragraphs, each of lines. */
export function duringParagraphs(views: readonly DuringView[]): string[][] {
  return views.flatMap((view) => {
    const { caption, head, rows, isNumeric } = duringTable(view);
    const lines = textLines([head, ...rows], isNumeric);
    return [[caption, ...lines], duringPlot(view), duringNotes(view)];
  });
}

/** What ran, under which load. */
function duringTitle(view: DuringView): string {
  const { scenario, protocol, rate, command } = view;
  const seconds = (command.duration_ms / 1000).toFixed(2);
  return `${scenario} ${protocol} at ${count(rate)} requests/s, while running ${command.text} (${seconds} s, ${endText(command)})`;
}

const endText = ({ exit_code: code }: DuringView['command']): string =>
  code === null ? 'ended by a signal' : `exit code ${code}`;

/** A line for each phase. */
export function duringTable(view: DuringView): Table {
  return {
    caption: duringTitle(view),
    head: ['when', 'requests', 'failed', 'p50 ms', 'p99 ms', 'p99.9 ms', 'max ms'],
    rows: [
      phaseCells('before', view.before),
      phaseCells('during', view.during),
      phaseCells('after', view.after),
    ],
    isNumeric: (column) => column > 0,
  };
}

/** Latencies over time, in characters. */
export function duringPlot({ buckets }: DuringView): string[] {
  const of = (name: 'p50_ms' | 'p99_ms' | 'max_ms') => buckets.map((bucket) => bucket[name]);
  const top = Math.max(...of('max_ms').map((value) => value ?? 0));
  const failures = buckets.map(({ errors }) => (errors > 0 ? top || 1 : null));
  return plotLines({
    title: 'ms by seconds',
    x: buckets.map(({ at_ms: at }) => at / 1000),
    series: [
      { mark: '!', name: 'failures', values: failures },
      { mark: 'o', name: 'p50', values: of('p50_ms') },
      { mark: '+', name: 'p99', values: of('p99_ms') },
      { mark: '.', name: 'max', values: of('max_ms') },
    ],
    marked: { at: 0, name: 'the command begins' },
  });
}

function phaseCells(name: string, phase: PhaseView): string[] {
  const { latency_ms: latency } = phase;
  return [
    name,
    count(phase.requests),
    count(failed(phase)),
    decimal(latency?.p50),
    decimal(latency?.p99),
    decimal(latency?.p99_9),
    decimal(latency?.max),
  ];
}

/** What became of the requests that failed, and of those that did not take the usual way. */
export function duringNotes(view: DuringView): string[] {
  const { errors, not_sent: notSent, journal, load_lag_ms: lag, note } = view;
  const reasons = Object.entries(errors).map(([reason, number]) => `${count(number)} ${reason}`);
  return [
    ...(reasons.length > 0 ? [`Failed: ${reasons.join(', ')}.`] : []),
    ...(notSent > 0
      ? [
          `Not sent, because no connection was free within --timeout: ${count(notSent)} of these. More --connections would have sent them.`,
        ]
      : []),
    ...(journal ? [`By the journal of the origin: ${journalText(journal)}.`] : []),
    ...(lag >= LATE
      ? [
          `The load sent 1 % of the requests more than ${lag.toFixed(1)} ms late: latencies include that, and connections may have been closed meanwhile.`,
        ]
      : []),
    ...(note === '' ? [] : [note]),
  ];
}

function journalText(journal: NonNullable<DuringView['journal']>): string {
  const parts = [
    [journal.lost, 'never arrived'],
    [journal.responses_lost, 'arrived but their responses were lost'],
    [journal.answered_elsewhere, 'were answered without arriving there'],
    [journal.repeated, 'arrived more than once'],
    [journal.unknown, 'are unknown'],
  ] as const;
  const found = parts.flatMap(([number, text]) => (number > 0 ? [`${count(number)} ${text}`] : []));
  return found.length > 0 ? found.join(', ') : 'each arrived once';
}

/** The result in a sentence. */
export function duringVerdict(views: readonly DuringView[]): string {
  const broken = brokenOf(views);
  if (views.length === 0) return 'Nothing was measured.';
  if (broken) {
    const how = broken.command.exit_code === null ? 'was' : 'failed with';
    return `The command ${how} ${endText(broken.command)}: the load does not show what happens when it succeeds.`;
  }
  const total = (of: (view: DuringView) => number): number =>
    views.reduce((sum, view) => sum + of(view), 0);
  const [requests, failures] = [total((view) => view.requests), total(failed)].map(count);
  if (failures === '0') return `No request failed, of ${requests}.`;
  const head = `${failures} of ${requests} requests failed`;
  if (views.some(({ journal }) => journal === null)) return `${head}.`;
  const lost = total(({ journal }) => journal?.lost ?? 0);
  const responses = total(({ journal }) => journal?.responses_lost ?? 0);
  const notSent = total((view) => view.not_sent);
  const parts = [
    ...(notSent > 0 ? [`${count(notSent)} were not sent`] : []),
    ...(lost > 0 ? [`${count(lost)} never arrived at the origin`] : []),
    ...(responses > 0 ? [`the responses of ${count(responses)} were lost`] : []),
  ];
  return `${head}${parts.length > 0 ? `: ${parts.join(', and ')}` : ''}.`;
}
