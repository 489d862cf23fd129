import { readByNode } from '../http1/_node.ts';
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
  const requests = readRequests(client);
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
        said.requests,
        requests.messages.map(requestViewOf).slice(-KEPT),
      ),
      ...differencesOf(
        'responses',
        said.responses,
        responses.messages.map(responseViewOf).slice(-KEPT),
      ),
      ...summaryDifferences('requests', http1.requests, requests, client.length),
      ...summaryDifferences('responses', http1.responses, responses, server.length),
      ...stopDifferences(story, client),
      ...events.flatMap((event) =>
        rangeDifferences(event.title, event['tls_records'], extentOf(event), carried?.[event.from]),
      ),
      ...wires.flat(),
    ],
    requests: requests.messages.length,
    wires: wires.length,
    refused: http1.parser_stopped ? 1 : 0,
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

/** Node's own server, which gets the bytes one by one, stops after as many bytes. */
function stopDifferences({ http1, events }: Story, client: Buffer): string[] {
  const stop = http1?.parser_stopped;
  if (!stop) return [];
  if (stop.code === 'HPE_INVALID_EOF_STATE') return differencesOf('stop', stop.at, client.length);
  const { stop: expected } = readByNode(client);
  const inMessage = events.flatMap((event) =>
    typeof event['parser_stopped_at'] === 'number'
      ? [Number(event['offset']) + event['parser_stopped_at']]
      : [],
  );
  return [
    ...differencesOf('stop', stop, expected && { at: expected.offset, code: expected.code }),
    ...inMessage.flatMap((at) => differencesOf('stop in message', at, stop.at)),
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
    'never_parsed',
    'parser_stopped_at',
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
