import {
  COUNT,
  enumOf,
  NULL,
  NUMBER,
  oneOf,
  shape,
  TEXT,
  type Infer,
} from '../../server/schema.ts';

export const storyFormatSchema = enumOf('json', 'text');

export type StoryFormat = Infer<typeof storyFormatSchema>;

/** Text after the last page, by format. */
export const storyEnds = { json: '\n  ]\n}', text: '' } as const;

/** A position between two events of a connection. Events may be added or removed before the next page is read. */
export const storyPlaceSchema = shape({
  // `performance.now()` of the previous event, in its process.
  time: NUMBER,
  // Number of events with the same time before this position.
  events: COUNT,
});

export type StoryPlace = Infer<typeof storyPlaceSchema>;

/** A page of a connection's events; null if the connection is unknown, or no longer kept. */
export const storySchema = oneOf(shape({ text: TEXT, next: storyPlaceSchema }, ['next']), NULL);

export type StoryPage = Infer<typeof storySchema>;

/** Source of the events of a connection of this process, or of any worker. */
export interface StorySource {
  /** @param after the `next` of the previous page; undefined for the first page */
  story(id: string, format: StoryFormat, after?: StoryPlace): StoryPage | Promise<StoryPage>;
}
