import { expect } from 'vitest';
import { until } from '../_adapters.ts';
import type { connectionView } from '../../src/inspect/views/connection-view.ts';
import type { Stories } from '../../src/telemetry/story/stories.ts';
import {
  connectionSchema,
  storyEnds,
  type StoryFormat,
  type StoryPlace,
} from '../../src/telemetry/story/page.ts';
import { violations } from '../_schema.ts';
import type { Running } from '../_service.ts';
import { ask } from '../_walk.ts';

/** The response of `/connections/{id}`. */
export type Story = ReturnType<typeof connectionView> & { readonly events: readonly StoryEvent[] };

export interface StoryEvent {
  readonly at_ms: number;
  readonly end_at_ms?: number;
  readonly from: string;
  readonly layer: string;
  readonly title: string;
  readonly [detail: string]: unknown;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly content: string;
}

/** The response to a GET on a connection of its own. */
export async function get(port: number, path: string, fields = ''): Promise<Answer> {
  const lines = fields.split('\r\n').filter((line) => line !== '');
  const headers = Object.fromEntries(lines.map((line) => line.split(': ')));
  const { status, headers: received, body } = await ask('http/1.1', port, path, { headers });
  return { status, type: received['content-type'] ?? '', content: body.toString() };
}

/** The story of a connection as JSON. */
export async function storyOf(port: number, id: string): Promise<Story> {
  const { status, content } = await get(port, `/connections/${id}`);
  if (status !== 200) throw new Error(content);
  const story = JSON.parse(content) as Story;
  expect(violations(connectionSchema, story)).toEqual([]);
  return story;
}

/** The story of a connection as text. */
export async function traceOf(port: number, id: string): Promise<string> {
  const { content } = await get(port, `/connections/${id}`, 'Accept: text/plain\r\n');
  return content;
}

/** All pages of a story; undefined if there is none. */
export function wholeStory(stories: Stories, id: string, format: StoryFormat): string | undefined {
  let text = '';
  let after: StoryPlace | undefined;
  do {
    const page = stories.story(id, format, after);
    if (!page) return undefined;
    text += page.text;
    after = page.next;
  } while (after);
  return text + storyEnds[format];
}

/** The story of a connection once it is closed. */
export async function closedStory({ service, port }: Running, id: string): Promise<Story> {
  const isClosed = (): boolean => {
    const json = (service.stories && wholeStory(service.stories, id, 'json')) ?? '{}';
    return (JSON.parse(json) as Partial<Story>).closed !== null;
  };
  await until(isClosed);
  return storyOf(port, id);
}

/** The id of the connection that was accepted after another one. */
export function idAfter(id: string): string {
  return (Number.parseInt(id, 36) + 1).toString(36);
}

/** The id of the connection, from a response with --conn-headers. */
export function idIn(response: string): string {
  const id = /^x-conn-id: (.*?)\r?$/im.exec(response)?.[1];
  if (id === undefined) throw new Error(`no X-Conn-Id in ${response}`);
  return id;
}
