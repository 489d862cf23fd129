import { NULL, oneOf, shape, TEXT, type Infer } from '../server/schema.ts';

/** The story of a connection, in both formats. Plain data, which can be sent between processes. */
export const storySchema = oneOf(shape({ json: TEXT, text: TEXT }), NULL);

export type Story = Infer<typeof storySchema>;

/** Finds the story of a connection of this process, or of any worker. */
export interface StorySource {
  /** @returns null if there is no such connection, or it is no longer kept */
  story(id: string): Story | Promise<Story>;
}
