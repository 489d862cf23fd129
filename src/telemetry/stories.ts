import type { Inspection } from '../inspect/inspection.ts';
import { connectionView } from '../inspect/views/connection-view.ts';
import { eventsOf, storyText } from '../inspect/views/story.ts';
import { NOTHING_REDACTED, type Redaction } from '../inspect/views/view.ts';
import { wireRedaction, type RedactPath } from './rejected-message.ts';
import type { Story, StoryFormat, StorySource } from './story.ts';

/** The stories of the inspected connections of this process. */
export class Stories implements StorySource {
  readonly #inspection: Inspection;
  readonly #redaction: Redaction;

  /** @param secrets whether to show secrets */
  constructor(inspection: Inspection, secrets: boolean, redactPath: RedactPath) {
    this.#inspection = inspection;
    this.#redaction = secrets ? NOTHING_REDACTED : wireRedaction(redactPath);
  }

  story(id: string, format: StoryFormat): Story {
    const inspection = this.#inspection.find(id);
    if (!inspection) return null;
    if (format === 'text') {
      return storyText(eventsOf(inspection, this.#redaction), inspection.openedAt);
    }
    const issuerOf = (ticket: string): string | undefined => this.#inspection.issuerOf(ticket);
    return JSON.stringify(connectionView(inspection, this.#redaction, issuerOf), null, 2);
  }
}
