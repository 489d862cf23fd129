import { chartElement, legendElement, linearAxis } from '../pages/chart.ts';
import { create, created } from './dom.ts';
import { MINUTE, type Charts, type MinuteChart } from './history.ts';
import { TableView } from './table-view.ts';

/** Seconds between labels of the horizontal axis. */
const STEPS = [60, 120, 300, 600];
/** Seconds of the shortest horizontal axis. */
const SHORTEST = 600;

/** A chart of minutes, with a table of its values. */
export class ChartView {
  readonly element: HTMLElement;
  readonly #drawn = create('div');
  readonly #table: TableView;
  readonly #details: HTMLDetailsElement;
  #times: Charts['times'] = [];
  #chart: MinuteChart;

  constructor(chart: MinuteChart) {
    const { title, unit } = chart;
    this.#chart = chart;
    this.#table = new TableView(title);
    this.#details = create(
      'details',
      {},
      create('summary', { 'aria-label': `Table of ${title}` }, 'Table'),
      this.#table.element,
    );
    this.#details.addEventListener('toggle', () => this.#fillTable());
    const heading = create('h3', {}, title, ' ', create('small', {}, unit));
    this.element = create('div', { class: 'card' }, heading, this.#drawn, this.#details);
  }

  show(times: Charts['times'], chart: MinuteChart): void {
    this.#times = times;
    this.#chart = chart;
    this.#details.hidden = chart.series.length === 0;
    this.#drawn.replaceChildren(...(this.#details.hidden ? ['None.'] : this.#draw()));
    this.#fillTable();
  }

  #draw(): Element[] {
    const { title, unit, series, isStacked } = this.#chart;
    const x = this.#times;
    const shape = isStacked ? 'bars' : 'steps';
    const sums = x.map((_, at) =>
      isStacked
        ? series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)
        : Math.max(...series.map(({ values }) => values[at] ?? 0)),
    );
    const [first = 0, last = 0] = [x[0], x.at(-1)];
    const to = last + MINUTE;
    const chart = {
      label: `Chart: ${title}, ${unit}. The table has its values.`,
      x,
      series,
      shape,
      width: MINUTE,
      across: { ...linearAxis(Math.min(first, to - SHORTEST), to, STEPS), text: clockOf },
      up: linearAxis(0, Math.max(4, ...sums) * 1.1),
    } as const;
    const newest = series.map(({ values }) => valueText(values.at(-1)));
    return [created(legendElement(chart, newest)), created(chartElement(chart))];
  }

  #fillTable(): void {
    if (!this.#details.open) return;
    const { title, unit, series } = this.#chart;
    const rows = this.#times.map((time, at) => [
      clockOf(time),
      ...series.map(({ values }) => valueText(values[at])),
    ]);
    this.#table.show({
      caption: `${title}, ${unit}`,
      head: ['Time', ...series.map(({ name }) => name)],
      rows: rows.toReversed(),
    });
  }
}

function valueText(value: number | null | undefined): string {
  return value?.toLocaleString('en', { maximumFractionDigits: 2 }) ?? '–';
}

function clockOf(time: number): string {
  return new Date(time * 1000).toTimeString().slice(0, 5);
}
