import { ChartView } from './chart.ts';
import { create } from './dom.ts';
import { fetchOwn } from './exchange.ts';
import type { History } from '../telemetry/history-schema.ts';
import { chartsOf } from './history.ts';

/** Milliseconds between two requests for the history. */
const INTERVAL = 10_000;

/** Draws the last hour, repeatedly while it is visible. */
export class LastHour {
  readonly #root: HTMLElement;
  readonly #state = create('p', { class: 'line bad', role: 'status' });
  readonly #cards = create('div', { class: 'cards' });
  readonly #views = new Map<string, ChartView>();

  constructor(root: HTMLElement) {
    this.#root = root;
    root.append(this.#state, this.#cards);
  }

  /** @param url URL of `/metrics/history` */
  async start(url: string): Promise<void> {
    for (;;) {
      if (this.#isSeen()) await this.#update(url);
      await new Promise((resolve) => setTimeout(resolve, INTERVAL));
    }
  }

  #isSeen(): boolean {
    return !document.hidden && this.#root.offsetParent !== null;
  }

  async #update(url: string): Promise<void> {
    try {
      const response = await fetchOwn(url);
      if (!response.ok) throw new Error(`status ${response.status}`);
      const { minutes }: History = await response.json();
      const { times, charts } = chartsOf(minutes, Date.now() / 1000);
      for (const chart of charts) {
        const view = this.#views.get(chart.title) ?? new ChartView(chart);
        this.#views.set(chart.title, view);
        if (!view.element.isConnected) this.#cards.append(view.element);
        view.show(times, chart);
      }
      this.#state.textContent = '';
    } catch (error) {
      this.#state.textContent = `No history: ${error instanceof Error ? error.message : ''}`;
    }
  }
}
