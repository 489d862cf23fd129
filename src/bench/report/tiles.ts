import { element, type Element } from '../../pages/element.ts';
import { count, decimal } from './cells.ts';
import { intervalText } from './comparison-table.ts';
import type { SideNames } from './rates-text.ts';
import type { Metric, Row, SideView } from './report.ts';
import { errorCount } from './table.ts';

const LOOKS: Readonly<Partial<Record<Metric['verdict'], string>>> = {
  slower: 'bad',
  faster: 'good',
};

/** The numbers of a row that are asked for first, of both sides, with their ratio and its interval. */
export function tileElements(row: Row, names: SideNames): Element[] {
  const { target, metrics } = row;
  const compared = row.baseline ?? row.direct;
  const other = row.baseline ? names.baseline : 'direct';
  if (target.samples.length === 0) return [];
  const numbers = (name: string, of: (side: SideView) => string, metric: Metric | null = null) => {
    const past = compared && of(compared);
    return tile(name, of(target), past && `${other} ${past}`, metric);
  };
  return [
    element(
      'ul',
      { class: 'tiles' },
      numbers(
        'requests/s',
        ({ requests_per_second: rate }) => count(rate),
        metrics.requests_per_second,
      ),
      numbers(
        'p50 ms',
        ({ latency_ms: latency }) => decimal(latency?.p50) || 'none',
        metrics.p50_ms,
      ),
      numbers(
        'p99 ms',
        ({ latency_ms: latency }) => decimal(latency?.p99) || 'none',
        metrics.p99_ms,
      ),
      numbers('errors', (side) => count(errorCount(side))),
      ...cpuTile(metrics.cpu_us_per_request, other),
    ),
  ];
}

const cpuTile = (metric: Metric | null, other: string): Element[] =>
  metric
    ? [tile('CPU us', decimal(metric.target), `${other} ${decimal(metric.baseline)}`, metric)]
    : [];

function tile(name: string, value: string, other: string | null, metric: Metric | null): Element {
  const look = metric ? LOOKS[metric.verdict] : undefined;
  return element(
    'li',
    {},
    element('small', {}, name),
    element('b', look === undefined ? {} : { class: look }, value),
    ...(other === null ? [] : [element('span', {}, other)]),
    ...(metric
      ? [element('span', {}, `ratio ${decimal(metric.ratio)}, ${ratioInterval(metric)}`)]
      : []),
  );
}

/** The interval of a ratio, whose end at 0 is open. */
export const ratioInterval = ({ low, high }: Pick<Metric, 'low' | 'high'>): string =>
  intervalText(low === 0 ? null : low, high);
