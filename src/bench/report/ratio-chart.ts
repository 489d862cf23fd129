import { element, scrolling, tableElement, type Element } from '../../pages/element.ts';
import { decimal } from './cells.ts';
import { METRICS } from './comparison-table.ts';
import type { SideNames } from './rates-text.ts';
import type { Metric, Row } from './report.ts';
import { ratioInterval } from './tiles.ts';

/** Units of the drawing in both directions, which is stretched over its cell. */
const SIZE = 100;
/** What is further from 1 is drawn at the end. */
const FARTHEST = 16;

interface Ratio extends Pick<Metric, 'ratio' | 'low' | 'high' | 'verdict'> {
  readonly row: string;
  readonly name: string;
}

/** One chart of the ratios of all rows with their intervals, on an axis that is logarithmic about 1. Empty without any. */
export function ratioElements(rows: readonly Row[], { target, baseline }: SideNames): Element[] {
  const ratios = rows.flatMap(({ scenario, protocol, metrics }) =>
    METRICS.flatMap(([key, name]): Ratio[] => {
      const metric = metrics[key];
      return metric ? [{ ...metric, row: `${scenario} ${protocol}`, name }] : [];
    }),
  );
  if (ratios.length === 0) return [];
  const ends = ratios.flatMap(({ ratio, low, high }) => [ratio, low, high ?? 0]);
  const most = Math.max(
    1.25,
    ...ends.filter((end) => end > 0).map((end) => Math.max(end, 1 / end)),
  );
  const to = Math.min(most, FARTHEST);
  const caption = `Ratios of ${target} to ${baseline}, with their 95 % intervals`;
  const table = tableElement({
    caption,
    head: [
      'row',
      'metric',
      `${decimal(1 / to)} to ${decimal(to)}, 1 in the middle`,
      'ratio',
      'interval',
      'verdict',
    ],
    rows: ratios.map((each) => [
      each.row,
      each.name,
      drawing(each, to),
      decimal(each.ratio),
      ratioInterval(each),
      each.verdict,
    ]),
  });
  return [scrolling(caption, table)];
}

function drawing({ ratio, low, high, verdict }: Ratio, to: number): Element {
  const at = (value: number): number => {
    const share = Math.log(Math.max(value, 1 / FARTHEST ** 2)) / Math.log(to);
    return ((1 + Math.min(1, Math.max(-1, share))) / 2) * SIZE;
  };
  const [from, until] = [at(low), at(high ?? Infinity)];
  const part = (name: string, x: number, width: number, y: number): Element =>
    element('rect', {
      class: name,
      x: x.toFixed(2),
      width: width.toFixed(2),
      y: String(y),
      height: String(SIZE - 2 * y),
    });
  return element(
    'svg',
    {
      class: `ratio ${verdict}`,
      viewBox: `0 0 ${SIZE} ${SIZE}`,
      preserveAspectRatio: 'none',
      'aria-hidden': 'true',
    },
    part('one', SIZE / 2 - 0.2, 0.4, 0),
    part('interval', from, Math.max(until - from, 0.5), 35),
    part('point', at(ratio) - 0.6, 1.2, 10),
  );
}
