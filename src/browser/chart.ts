import { create } from './dom.ts';
import { isolated, type Chart, type Series } from './history.ts';
import { TableView } from './table-view.ts';
import uPlot from './uplot.js';

const HEIGHT = 180;
/** Colours in the style sheet: of well-known series by name, and of others in rotation. */
const KNOWN: Readonly<Record<string, string>> = {
  '2xx': '--good',
  '3xx': '--accent',
  '4xx': '--warn',
  '5xx': '--bad',
};
const COLOURS = ['--accent', '--warn', '--bad', '--good', '--soft', '--text'];
/** Line styles, because colours alone may not be distinguished. */
const DASHES = [[], [8, 4], [2, 3], [12, 3, 2, 3], [5, 5], [1, 4]];

/** A chart, with a table of its values. */
export class ChartView {
  readonly element: HTMLElement;
  readonly #plot = create('div', { role: 'img' });
  readonly #legend = create('p', { class: 'legend' });
  readonly #table: TableView;
  readonly #details: HTMLDetailsElement;
  #chart: Chart;
  #times: readonly number[] = [];
  #drawn: uPlot | undefined;

  constructor(chart: Chart) {
    const { title, unit } = chart;
    this.#chart = chart;
    this.#plot.setAttribute('aria-label', `Chart: ${title}, ${unit}. The table has its values.`);
    this.#table = new TableView(title);
    this.#details = create(
      'details',
      {},
      create('summary', { 'aria-label': `Table of ${title}` }, 'Table'),
      this.#table.element,
    );
    this.#details.addEventListener('toggle', () => this.#fillTable());
    this.element = create(
      'div',
      { class: 'card' },
      create('h3', {}, title, ' ', create('small', {}, unit)),
      this.#legend,
      this.#plot,
      this.#details,
    );
  }

  show(times: readonly number[], chart: Chart): void {
    this.#times = times;
    this.#chart = chart;
    this.draw();
    this.#fillTable();
  }

  /** Draws the chart, again if size or colours have changed. */
  draw(): void {
    const { series } = this.#chart;
    this.#drawn?.destroy();
    const styles = getComputedStyle(document.documentElement);
    const colours = series.map(({ name }, at) =>
      styles.getPropertyValue(KNOWN[name] ?? COLOURS[at % COLOURS.length] ?? '--text'),
    );
    this.#legend.replaceChildren(
      ...(series.length === 0 ? ['None.'] : series.map((each, at) => legendOf(each, colours[at]))),
    );
    const data: uPlot.AlignedData = [[...this.#times], ...series.map(({ values }) => [...values])];
    const axis = axisOf(styles.getPropertyValue('--soft'), styles.getPropertyValue('--line'));
    const options: uPlot.Options = {
      width: this.#plot.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false }, y: { range: (_, _min, max) => [0, Math.max(4, max * 1.1)] } },
      axes: [
        { ...axis, incrs: [60, 300, 600, 900], space: 60, values: (_, all) => all.map(clockOf) },
        { ...axis, size: 56 },
      ],
      series: [
        {},
        ...series.map(({ values }, at) => ({
          stroke: colours[at] ?? '',
          width: 2,
          points: {
            size: 5,
            fill: colours[at] ?? '',
            // If there is no room for all points, only isolated ones are drawn, which no line shows.
            filter: (_plot: uPlot, _at: number, show: boolean) => (show ? null : isolated(values)),
          },
          dash: DASHES[at % DASHES.length] ?? [],
        })),
      ],
    };
    this.#drawn = new uPlot(options, data, this.#plot);
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

/** Legend of a series: its newest value beside its colour. */
function legendOf({ name, values }: Series, colour = ''): HTMLElement {
  const line = create('i');
  line.style.background = colour;
  return create('span', {}, line, `${name} `, create('b', {}, valueText(values.at(-1))));
}

function axisOf(stroke: string, line: string): uPlot.Axis {
  const grid = { stroke: line, width: 1 };
  return { stroke, grid, ticks: grid };
}

function valueText(value: number | null | undefined): string {
  return value?.toLocaleString('en', { maximumFractionDigits: 2 }) ?? '–';
}

function clockOf(time: number): string {
  return new Date(time * 1000).toTimeString().slice(0, 5);
}
