import type { Inspected } from '../../inspect/connection-inspection.ts';
import type { Inspection } from '../../inspect/inspection.ts';
import { connectionView } from '../../inspect/views/connection-view.ts';
import { eventText, eventView, momentsOf, type StoryMoment } from './events.ts';
import { NOTHING_REDACTED, type Redaction } from '../../inspect/views/view.ts';
import { wireRedaction } from '../rejected-message.ts';
import type { ConnectionView, StoryFormat, StoryPage, StoryPlace, StorySource } from './page.ts';

/** Events of the inspected connections of this process. */
export class Stories implements StorySource {
  readonly #inspection: Inspection;
  readonly #redaction: Redaction;

  /** @param secrets whether to show secrets */
  constructor(inspection: Inspection, secrets: boolean) {
    this.#inspection = inspection;
    this.#redaction = secrets ? NOTHING_REDACTED : wireRedaction;
  }

  story(id: string, format: StoryFormat, after?: StoryPlace): StoryPage {
    const inspection = this.#inspection.find(id);
    if (!inspection) return null;
    const { openedAt } = inspection;
    const moments = momentsOf(inspection, this.#redaction);
    const begin = after ? momentIndex(after, moments) : 0;
    let text = after || format === 'text' ? '' : this.#head(inspection);
    let at = begin;
    for (const moment of moments.slice(begin)) {
      // A page has at least one event, because only the first event of all has no comma before it.
      if (at > begin && text.length >= PAGE_SIZE) break;
      const event = moment.describe();
      if (format === 'text') text += eventText(event, openedAt);
      else text += `${after || at > 0 ? ',' : ''}\n    ${indented(eventView(event, openedAt), 4)}`;
      at++;
    }
    return { text, ...(at < moments.length && { next: storyPlace(at, moments) }) };
  }

  /** The JSON before the first event. */
  #head(inspection: Inspected): string {
    const issuerOf = (ticket: string): string | undefined => this.#inspection.issuerOf(ticket);
    const view: ConnectionView = connectionView(inspection, this.#redaction, issuerOf);
    return `${JSON.stringify(view, null, 2).slice(0, -'\n}'.length)},\n  "events": [`;
  }
}

/** Characters of a page. Further events are read as another page. */
const PAGE_SIZE = 16 * 1024;

function indented(value: unknown, spaces: number): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${' '.repeat(spaces)}`);
}

/** The position before the moment at index `at`. */
function storyPlace(at: number, moments: readonly StoryMoment[]): StoryPlace {
  const { time = 0 } = moments[at - 1] ?? {};
  return { time, events: at - firstAt(time, moments) };
}

function momentIndex({ time, events }: StoryPlace, moments: readonly StoryMoment[]): number {
  return firstAt(time, moments) + events;
}

function firstAt(time: number, moments: readonly StoryMoment[]): number {
  const first = moments.findIndex((moment) => moment.time >= time);
  return first < 0 ? moments.length : first;
}
