import { differencesOf, without } from './_differences.ts';
import { readRequests, readResponses, type Direction, type Message } from './_http1-messages.ts';
import { rangeDifferences, type Carried } from './_tls-records.ts';
import type { Compared, Plaintext, Story, StoryEvent } from './_story.ts';

/** Messages kept of each direction whatever the settings are. */
const KEPT = 64;
const TIMES = ['at_ms', 'head_at_ms', 'end_at_ms'];

export function compareHttp1(story: Story, plaintext: Plaintext): Compared {
  const { client, server, carried } = plaintext;
  const { http1 } = story;
  if (!http1) return { differences: ['no HTTP/1 messages'], requests: 0, wires: 0, refused: 0 };
  const requests = servedPart(readRequests(client), http1.requests['rest']);
  const isEnded = story.tcp.ends.some(({ by, how }) => by === 'wirebin' && how === 'fin');
  const methods = requests.messages.map(({ method }) => method);
  const responses = readResponses(server, methods, isEnded);
  const events = story.events.filter(({ layer }) => layer === 'http1');
  const said = {
    requests: events.filter(({ from }) => from === 'client').map(viewOf),
    responses: events.filter(({ from }) => from === 'server').map(viewOf),
  };
  const wires = responses.messages.flatMap((response) =>
    compareWire(response, requests, carried?.client),
  );
  return {
    differences: [
      ...differencesOf(
        'requests',
        lastWithout(said.requests, http1.refused),
        lastWithout(requests.messages.map(requestViewOf), http1.refused).slice(-KEPT),
      ),
      ...differencesOf(
        'responses',
        said.responses,
        responses.messages.map(responseViewOf).slice(-KEPT),
      ),
      ...summaryDifferences('requests', requestsSaid(story), requests, client.length),
      ...summaryDifferences('responses', http1.responses, responses, server.length),
      ...refusalDifferences(story, requests),
      ...events.flatMap((event) =>
        rangeDifferences(event.title, event['tls_records'], extentOf(event), carried?.[event.from]),
      ),
      ...wires.flat(),
    ],
    requests: requests.messages.length,
    wires: wires.length,
    refused: http1.refused ? 1 : 0,
  };
}

/** Of the head, while the message is not complete. */
function extentOf(view: Readonly<Record<string, unknown>>): [offset: number, length: number] {
  return [Number(view['offset']), Number(view['length'] ?? view['head_length'])];
}

function summaryDifferences(
  place: string,
  said: Readonly<Record<string, unknown>>,
  { messages, after_last, rest }: Direction,
  bytes: number,
): string[] {
  const left_out = Math.max(0, messages.length - KEPT);
  const expected = {
    bytes,
    messages: messages.length,
    left_out,
    ...(after_last && { after_last }),
    ...(rest && { rest: { ...rest, length: bytes - rest.offset } }),
  };
  const saidRest = said['rest'] as Record<string, unknown> | undefined;
  const seen = { ...said, ...(saidRest && { rest: without(saidRest, 'reason') }) };
  return differencesOf(place, seen, expected);
}

/** The messages that begin before the bytes which were not read as messages. */
function servedPart(direction: Direction, rest: unknown): Direction {
  if (typeof rest !== 'object' || rest === null || !('offset' in rest)) return direction;
  const end = Number(rest.offset);
  return { messages: direction.messages.filter(({ offset }) => offset < end) };
}

/** The messages; the last one, if it was refused, without what depends on where it was. */
function lastWithout(
  views: readonly Readonly<Record<string, unknown>>[],
  refused: object | undefined,
): Readonly<Record<string, unknown>>[] {
  const isRefused = (at: number): boolean => refused !== undefined && at === views.length - 1;
  return views.map((view, at) =>
    isRefused(at) ? without(view, 'length', 'content', 'trailers') : view,
  );
}

/** What follows a message that was refused, or the last one, is shown as bytes. */
function requestsSaid({ http1 }: Story): Readonly<Record<string, unknown>> {
  return without(http1?.requests ?? {}, 'rest', ...(http1?.refused ? ['after_last'] : []));
}

/** The byte that was refused is in the last message. */
function refusalDifferences({ http1, events }: Story, { messages }: Direction): string[] {
  if (!http1?.refused) return [];
  const { at } = http1.refused;
  const last = messages.at(-1);
  const inMessage = events.flatMap((event) =>
    typeof event['refused_at'] === 'number' ? [Number(event['offset']) + event['refused_at']] : [],
  );
  return [
    ...(last && at < last.offset ? [`byte ${at} was refused, before the last message`] : []),
    ...inMessage.flatMap((place) => differencesOf('refused in message', place, at)),
  ];
}

/** The `wire` of an echo: the whole request, or its head if the response came before its content. */
function compareWire(
  response: Message,
  { messages }: Direction,
  carried: readonly Carried[] | undefined,
): string[][] {
  const wire = wireOf(response.content);
  if (!wire) return [];
  const { number } = wire;
  const request = messages[Number(number) - 1];
  if (!request) return [[`wire of request ${Number(number)}, which was not sent`]];
  const said = viewOf({
    ...without(wire, 'fingerprints'),
    layer: 'http1',
    from: 'client',
    title: '',
  });
  const expected = requestViewOf(request, Number(number) - 1);
  const isWhole = 'length' in wire || !('length' in expected);
  const later = isWhole ? [] : ['length', 'content', 'trailers'];
  const place = `wire ${Number(number)}`;
  return [
    [
      ...differencesOf(place, without(said, ...later), without(expected, ...later)),
      ...rangeDifferences(place, wire['tls_records'], extentOf(wire), carried, true),
    ],
  ];
}

export function wireOf(content: Buffer): Record<string, unknown> | undefined {
  try {
    return (JSON.parse(content.toString()) as { wire?: Record<string, unknown> }).wire;
  } catch {
    return undefined;
  }
}

function requestViewOf({ view }: Message, at: number): Record<string, unknown> {
  return { number: at + 1, ...view };
}

function responseViewOf({ view }: Message): Record<string, unknown> {
  return without(view, 'head_end');
}

/** Without times and what is read into the bytes. */
function viewOf(event: StoryEvent | Readonly<Record<string, unknown>>): Record<string, unknown> {
  const view = without(
    event,
    ...TIMES,
    'from',
    'layer',
    'title',
    'ahead_of_responses',
    'refused_at',
    'tls_records',
  );
  const { content, trailers } = view as {
    content?: Record<string, unknown>;
    trailers?: Record<string, unknown>;
  };
  return {
    ...view,
    fields: fieldsOf(view['fields']),
    ...(content && { content: without(content, 'reason') }),
    ...(trailers && { trailers: { ...trailers, fields: fieldsOf(trailers['fields']) } }),
  };
}

function fieldsOf(fields: unknown): Record<string, unknown>[] {
  return (fields as Record<string, unknown>[]).map((field) =>
    without(field, 'notes', 'invalid_at'),
  );
}
