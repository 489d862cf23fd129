import type { Inspection } from '../inspect/inspection.ts';
import { connectionView } from '../inspect/views/connection-view.ts';
import { eventsOf, storyText } from '../inspect/views/story.ts';
import { NOTHING_REDACTED, type Redaction } from '../inspect/views/view.ts';
import { wireRedaction, type RedactPath } from './rejected-message.ts';
import type { Story, StorySource } from './story.ts';

/** The stories of the inspected connections of this process. */
export class Stories implements StorySource {
  readonly #inspection: Inspection;
  readonly #redaction: Redaction;

  /** @param secrets whether to show secrets */
  constructor(inspection: Inspection, secrets: boolean, redactPath: RedactPath) {
    this.#inspection = inspection;
    this.#redaction = secrets ? NOTHING_REDACTED : wireRedaction(redactPath);
  }

  story(id: string): Story {
    const inspection = this.#inspection.find(id);
    if (!inspection) return null;
    const issuerOf = (ticket: string): string | undefined => this.#inspection.issuerOf(ticket);
    const view = connectionView(inspection, this.#redaction, issuerOf);
    const events = eventsOf(inspection, this.#redaction);
    return { json: JSON.stringify(view, null, 2), text: storyText(events, inspection.openedAt) };
  }
}
