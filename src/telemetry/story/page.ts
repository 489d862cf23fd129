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

/** What follows the last page. */
export const storyEnds = { json: '\n  ]\n}', text: '' } as const;

/** Where a page of a story ends. Events may have been added or removed when the next one is made. */
export const storyPlaceSchema = shape({
  // Of the last event, of `performance.now()` in its process.
  time: NUMBER,
  // Number of events of this time before the place.
  events: COUNT,
});

export type StoryPlace = Infer<typeof storyPlaceSchema>;

/** A page of the story of a connection; null if there is no such connection, or it is no longer kept. */
export const storySchema = oneOf(shape({ text: TEXT, next: storyPlaceSchema }, ['next']), NULL);

export type StoryPage = Infer<typeof storySchema>;

/** Finds the story of a connection of this process, or of any worker. */
export interface StorySource {
  /** @param after where the previous page ended; undefined for the first */
  story(id: string, format: StoryFormat, after?: StoryPlace): StoryPage | Promise<StoryPage>;
}
