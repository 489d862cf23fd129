import { element, scrolling, tableElement, type Element } from '../../pages/element.ts';
import type { Outcome } from '../check.ts';
import { outcomesByTopic } from './outcomes.ts';

/** Width of a bar in the units of its drawing. */
const WIDTH = 100;

/** The number of results with each outcome, by topic, with a bar of their shares. @param isOpen whether it is shown at first */
export function topicElement(
  results: readonly { readonly id: string; readonly outcome: Outcome }[],
  isOpen: boolean,
): Element {
  const caption = 'Outcomes by topic';
  const { outcomes, rows } = outcomesByTopic(results);
  const table = tableElement({
    caption,
    head: ['Topic', 'Share', ...outcomes],
    rows: rows.map((row) => {
      const [topic = ''] = row;
      const first: (string | Element)[] = [topic, bar(outcomes, row.slice(1).map(Number))];
      return first.concat(row.slice(1));
    }),
  });
  return element(
    'details',
    { class: 'topics', ...(isOpen && { open: '' }) },
    element('summary', {}, caption),
    scrolling(caption, table),
  );
}

/** Drawn by SVG, whose widths are attributes: the policy of the page allows no style attributes. */
function bar(outcomes: readonly Outcome[], counts: readonly number[]): Element {
  const all = counts.reduce((sum, count) => sum + count, 0);
  let x = 0;
  const parts = outcomes.map((outcome, at) => {
    const width = (WIDTH * (counts[at] ?? 0)) / all;
    const part = element('rect', {
      class: outcome,
      x: x.toFixed(2),
      width: width.toFixed(2),
      height: '1',
    });
    x += width;
    return part;
  });
  const look = { class: 'share', viewBox: `0 0 ${WIDTH} 1`, preserveAspectRatio: 'none' };
  return element('svg', { ...look, 'aria-hidden': 'true' }, ...parts);
}
