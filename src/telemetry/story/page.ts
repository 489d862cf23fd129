import {
  arrayOf,
  COUNT,
  enumOf,
  NULL,
  nullable,
  NUMBER,
  objectSchema,
  oneOf,
  openShape,
  shape,
  TEXT,
  type Infer,
} from '../../server/schema.ts';

/** What docs/inspect.md describes: the facts of a layer. */
const LAYER = { type: 'object' };

const eventSchema = {
  ...openShape({
    at_ms: NUMBER,
    from: enumOf('client', 'server'),
    layer: enumOf('tcp', 'tls', 'http1', 'http2'),
    title: TEXT,
  }),
  description: 'Other members are those of what happened.',
};

export type EventView = Infer<typeof eventSchema>;

/** The response of `/connections/{id}`. */
export const connectionSchema = objectSchema(
  'Connection',
  {
    id: TEXT,
    worker: COUNT,
    protocol: nullable(TEXT),
    remote: TEXT,
    peer: TEXT,
    local: TEXT,
    opened: TEXT,
    requests: COUNT,
    open_requests: COUNT,
    closed: nullable(
      shape({ by: enumOf('client', 'wirebin', 'error'), reason: TEXT, at_ms: NUMBER }),
    ),
    proxy_header: shape({ length: COUNT }),
    tcp: LAYER,
    tls: LAYER,
    http1: LAYER,
    http2: LAYER,
    undetected: shape({ bytes: TEXT, length: COUNT }),
    events: { ...arrayOf(eventSchema), description: 'In order.' },
  },
  ['worker', 'proxy_header', 'tls', 'http1', 'http2', 'undetected'],
);

/** What is known of a connection before its events. */
export type ConnectionView = Omit<Infer<typeof connectionSchema>, 'events'>;

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
