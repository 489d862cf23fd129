import { negotiateMediaType } from '../http/accept.ts';
import { fieldValue } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { endpoint, jsonResponse, problemResponse, type Endpoint } from '../server/endpoint.ts';
import { described, int, optional, required } from '../server/params.ts';
import { textPages, type TimedStream } from '../server/payload.ts';
import { json, reply, TEXT_TYPE } from '../server/reply.ts';
import { serialize } from '../server/request-cost.ts';
import { TEXT } from '../server/schema.ts';
import { connectionsSchema, MAX_LISTED } from '../telemetry/connections-schema.ts';
import { connectionsView } from '../telemetry/connections.ts';
import type { ConnectionSource } from '../telemetry/connection-statistics.ts';
import {
  connectionSchema,
  storyEnds,
  type StoryPage,
  type StoryPlace,
  type StorySource,
} from '../telemetry/story/page.ts';

/** Served with --tap only. Counts the connection of its own request too. */
export function connectionsEndpoint(connections: ConnectionSource): Endpoint {
  return endpoint({
    path: '/connections',
    group: 'operations',
    ownOriginOnly: true,
    summary: 'Shows whether clients reuse connections and send concurrent requests on them.',
    setting: '--tap',
    query: {
      closed: described(
        'Lists so many of the connections that were closed last, newest first.',
        optional(int({ min: 0, max: MAX_LISTED }), undefined),
      ),
    },
    strictQuery: true,
    exampleQuery: 'closed=10',
    responses: {
      200: jsonResponse(
        'Connections since the start, by transport, and those that are open.',
        connectionsSchema,
      ),
    },
    handle: async ({ query: { closed } }) =>
      json(connectionsView(await connections.entries(closed !== undefined), closed)),
  });
}

const JSON_TYPE = 'application/json';
const OFFERS = [JSON_TYPE, TEXT_TYPE] as const;
/** Bytes that a response of several pages may keep in memory. */
const HELD = 64 * 1024;
const VARY = { fields: ['Vary', 'Accept'] };

/** The id of a connection. Other values respond with 404. */
const connectionId = required(
  { ...TEXT, description: 'As in `conn.id` of the echo or in /tap.', examples: ['1'] },
  (text) => text,
);

/** Served with --inspect only. */
export function storyEndpoint(stories: StorySource): Endpoint {
  return endpoint({
    id: 'connection',
    path: '/connections/{id}',
    group: 'operations',
    ownOriginOnly: true,
    summary: 'The story of a connection, byte by byte: TCP, TLS records, messages or frames.',
    params: { id: connectionId },
    setting: '--inspect',
    responses: {
      200: {
        description: 'All that is kept of the connection, in order; as text by Accept.',
        content: OFFERS,
        schema: connectionSchema,
        fields: { Vary: 'Accept' },
      },
      404: problemResponse(
        'There is no such connection, it is no longer kept, or it was not inspected because open connections had used up `--inspect-memory`.',
      ),
    },
    async handle({ request, params: { id } }) {
      const type = negotiateMediaType(fieldValue(request.fields, 'accept'), OFFERS) ?? JSON_TYPE;
      const format = type === TEXT_TYPE ? 'text' : 'json';
      const read: ReadStory = (use, after) =>
        serialize(request, async () => use(await stories.story(id, format, after)));
      return read((first) => {
        if (first === null) {
          throw new Problem(
            'not-found',
            `there is no connection ${id}, it is no longer kept, or it was not inspected`,
          );
        }
        const end = storyEnds[format];
        return reply(type, first.next ? storyStream(first, read, end) : first.text + end, VARY);
      });
    },
  });
}

/** Reads a page and passes it to `use` synchronously, so that no promise retains its text (see `textPages`). */
type ReadStory = <Result>(use: (page: StoryPage) => Result, after?: StoryPlace) => Promise<Result>;

/** A payload of several pages. Each is made when the previous one has been sent. */
function storyStream(
  { text, next }: NonNullable<StoryPage>,
  read: ReadStory,
  end: string,
): TimedStream {
  let after = next;
  const pages = textPages(text, async (put) => {
    if (!after) return false;
    await read((page) => {
      // The end, if the connection was dropped meanwhile.
      after = page?.next;
      put((page?.text ?? '') + (after ? '' : end));
    }, after);
    return true;
  });
  return { ...pages, held: HELD };
}
