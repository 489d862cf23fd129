import { enumOf, NULL, oneOf, TEXT, type Infer } from '../server/schema.ts';

export const storyFormatSchema = enumOf('json', 'text');

export type StoryFormat = Infer<typeof storyFormatSchema>;

/** The story of a connection; null if there is no such connection, or it is no longer kept. */
export const storySchema = oneOf(TEXT, NULL);

export type Story = Infer<typeof storySchema>;

/** Finds the story of a connection of this process, or of any worker. */
export interface StorySource {
  story(id: string, format: StoryFormat): Story | Promise<Story>;
}
