// The script of the HTML report of a benchmark: it draws each chart from its table.
import uPlot from './uplot.js';

const HEIGHT = 260;
/** Distances of the ticks of an axis of whole numbers. */
const WHOLE = [1, 10, 100, 1000, 10_000, 100_000].flatMap((power) => [power, 2 * power, 5 * power]);
const COLOURS = ['--accent', '--warn', '--bad', '--good', '--soft', '--text'];
/** Line styles, because colours alone may not be distinguished. */
const DASHES = [[], [8, 4], [2, 3], [12, 3, 2, 3], [5, 5], [1, 4]];

/** A chart as it is in the page: with the table of its values. */
class TableChart {
  readonly #figure: HTMLElement;
  readonly #plot: HTMLElement;
  readonly #names: readonly string[];
  readonly #data: uPlot.AlignedData;
  #drawn: uPlot | undefined;

  constructor(figure: HTMLElement, plot: HTMLElement) {
    this.#figure = figure;
    this.#plot = plot;
    const [head = [], ...rows] = Array.from(figure.querySelectorAll('tr'), (row) =>
      Array.from(row.children, (cell) => cell.textContent ?? ''),
    );
    const isPercentile = figure.dataset['x'] === 'percentile';
    const points = rows
      .map((cells) => pointIn(cells, isPercentile))
      .filter(([x]) => x !== Infinity);
    this.#names = head.slice(1);
    const column = (at: number) => points.map((values) => values[at] ?? null);
    this.#data = [points.map(([x]) => x ?? 0), ...this.#names.map((_, at) => column(at + 1))];
  }

  /** Draws the chart, again if size or colours have changed. */
  draw(): void {
    this.#drawn?.destroy();
    const { x, y, marked } = this.#figure.dataset;
    const styles = getComputedStyle(document.documentElement);
    const colour = (at: number): string =>
      styles.getPropertyValue(COLOURS[at % COLOURS.length] ?? '--text');
    this.#showLegend(colour);
    const axis = axisOf(styles.getPropertyValue('--soft'), styles.getPropertyValue('--line'));
    const isPercentile = x === 'percentile';
    const options: uPlot.Options = {
      width: this.#plot.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, ...(isPercentile && { distr: 3 }) },
        y: y === 'log' ? { distr: 3 } : { range: (_, _min, max) => [0, max * 1.1 || 1] },
      },
      axes: [
        {
          ...axis,
          ...(isPercentile && { values: (_, all) => all.map(percentText) }),
          ...(x === 'whole' && { incrs: WHOLE }),
        },
        { ...axis, size: 70 },
      ],
      series: [
        {},
        ...this.#names.map((_, at) => ({
          stroke: colour(at),
          width: 2,
          dash: DASHES[at % DASHES.length] ?? [],
          // Sides have different percentiles.
          spanGaps: isPercentile,
          points: { show: !isPercentile, size: 5, fill: colour(at) },
        })),
      ],
      hooks: {
        draw: marked === undefined ? [] : [(plot) => markLine(plot, Number(marked), colour(2))],
      },
    };
    this.#drawn = new uPlot(options, this.#data, this.#plot);
  }

  #showLegend(colour: (at: number) => string): void {
    this.#figure.querySelector('.legend')?.replaceChildren(
      ...this.#names.map((name, at) => {
        const line = document.createElement('i');
        line.style.background = colour(at);
        const entry = document.createElement('span');
        entry.append(line, ` ${name}`);
        return entry;
      }),
    );
  }
}

/** A vertical line at a value of the horizontal axis. */
function markLine(plot: uPlot, value: number, colour: string): void {
  const { ctx, bbox } = plot;
  const left = plot.valToPos(value, 'x', true);
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.setLineDash([4, 4]);
  ctx.beginPath();
  ctx.moveTo(left, bbox.top);
  ctx.lineTo(left, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

function axisOf(stroke: string, line: string): uPlot.Axis {
  const grid = { stroke: line, width: 1 };
  return { stroke, grid, ticks: grid };
}

/** The numbers in a line of a table. A percentile is shown at 1 / (1 - percentile), which is Infinity for the last. */
function pointIn([first = '', ...values]: readonly string[], isPercentile: boolean) {
  const x = numberIn(first) ?? 0;
  return [isPercentile ? 100 / (100 - x) : x, ...values.map(numberIn)];
}

/** The number in a cell; null without one. */
function numberIn(text: string): number | null {
  const digits = text.replaceAll(/[,% ]/g, '');
  return digits === '' || !Number.isFinite(Number(digits)) ? null : Number(digits);
}

/** A tick of the axis of percentiles, by powers of ten. */
const percentText = (tick: number | null): string =>
  tick !== null && Math.log10(tick) % 1 === 0
    ? `${Number((100 - 100 / tick).toPrecision(8))} %`
    : '';

const charts = Array.from(document.querySelectorAll<HTMLElement>('figure'), (figure) => {
  const plot = figure.querySelector<HTMLElement>('.plot');
  // Without this script, the table is all there is.
  figure.querySelector('details')?.removeAttribute('open');
  return plot ? [new TableChart(figure, plot)] : [];
}).flat();
const draw = (): void => {
  for (const chart of charts) chart.draw();
};
draw();
addEventListener('resize', draw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
