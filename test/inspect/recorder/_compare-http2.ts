import { wireOf } from './_compare-http1.ts';
import { differencesOf, without } from './_differences.ts';
import { commandsOf, decodeBlocks, type Fields } from './_hpack-decoder.ts';
import { readFrames, representationsOf, type Frame } from './_http2-frames.ts';
import { rangeDifferences } from './_tls-records.ts';
import type { Compared, Plaintext, Story } from './_story.ts';
import { echoOf } from '../../_echo.ts';

/** Frames kept of each stream, and streams kept, whatever the settings are. */
const FRAMES = 100;
const STREAMS = 64;

const FRAME_HEADER = 9;

type View = Readonly<Record<string, unknown>>;

/** The frames of a connection, and the fields of their blocks if there is a decoder. */
interface Recorded {
  readonly client: readonly Frame[];
  readonly server: readonly Frame[];
  readonly fields: ReadonlyMap<Frame, Fields> | undefined;
  readonly carried: Plaintext['carried'];
}

/** @param decode whether to decode field blocks with another decoder, for which Python is needed */
export function compareHttp2(
  connections: readonly { readonly story: Story; readonly plaintext: Plaintext }[],
  decode: boolean,
): Compared[] {
  const frames = connections.map(({ plaintext }) => ({
    client: readFrames(plaintext.client, 'client'),
    server: readFrames(plaintext.server, 'server'),
  }));
  const decoded = decode
    ? decodeBlocks(
        frames.flatMap(({ client, server }) => [
          commandsOf(client, server),
          commandsOf(server, client),
        ]),
      )
    : undefined;
  return connections.map(({ story, plaintext: { carried } }, at) => {
    const { client = [], server = [] } = frames[at] ?? {};
    const fields =
      decoded &&
      new Map([
        ...fieldsByFrame(client, decoded[2 * at] ?? []),
        ...fieldsByFrame(server, decoded[2 * at + 1] ?? []),
      ]);
    return compare(story, { client, server, fields, carried });
  });
}

function fieldsByFrame(frames: readonly Frame[], fields: readonly Fields[]): [Frame, Fields][] {
  const ends = frames.filter(({ block }) => block !== undefined);
  return ends.map((frame, at) => [frame, fields[at]]);
}

function compare(story: Story, recorded: Recorded): Compared {
  const { http2 } = story;
  const opened = openedIn(recorded.client);
  if (!http2) return { differences: ['no HTTP/2 frames'], requests: 0, wires: 0, refused: 0 };
  const said = story.events.filter(({ layer }) => layer === 'http2');
  const wires = [...opened].flatMap((stream) => wireDifferences(stream, recorded));
  return {
    differences: [
      ...(['client', 'server'] as const).flatMap((from) =>
        differencesOf(
          `${from} frames by type`,
          http2[from].frames,
          countsOf(recorded[from]),
        ).concat(
          framesDifferences(
            said.filter((event) => event.from === from),
            recorded,
            from,
          ),
        ),
      ),
      ...keptDifferences(said, recorded, opened, http2),
      ...differencesOf('streams', http2.streams, opened.size),
      ...wires.flat(),
    ],
    requests: opened.size,
    wires: wires.length,
    refused: recorded.server.filter(({ type }) => type === 3 || type === 7).length,
  };
}

/** The streams that a client opened (RFC 9113 5.1.1). */
function openedIn(frames: readonly Frame[]): Set<number> {
  const opened = new Set<number>();
  let last = 0;
  for (const { type, stream } of frames) {
    if (type !== 1 || stream <= last || stream % 2 === 0) continue;
    opened.add(stream);
    last = stream;
  }
  return opened;
}

function countsOf(frames: readonly Frame[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { view } of frames) {
    const type = String(view['type']);
    counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}

/** Each frame of the story is the recorded one at its offset, and they are in order. */
function framesDifferences(
  said: readonly View[],
  recorded: Recorded,
  from: 'client' | 'server',
): string[] {
  const byOffset = new Map(recorded[from].map((frame) => [frame.view['offset'], frame]));
  const offsets = said.map(({ offset }) => Number(offset));
  const inOrder = offsets.every((offset, at) => at === 0 || offset > (offsets[at - 1] ?? 0));
  return [
    ...(inOrder ? [] : [`${from} frames are not in order`]),
    ...said.flatMap((view) => {
      const frame = byOffset.get(view['offset']);
      const place = `${from} frame at ${String(view['offset'])}`;
      return frame ? frameDifferences(place, view, frame, recorded) : [`${place} was not sent`];
    }),
  ];
}

function frameDifferences(
  place: string,
  said: View,
  frame: Frame,
  { fields, carried }: Recorded,
  isWire = false,
): string[] {
  const seen = without(
    said,
    'at_ms',
    'end_at_ms',
    'title',
    'layer',
    'window',
    'stream_window',
    'tls_records',
    'violations',
    'fields',
    'fields_left_out',
    'hpack',
  );
  const found = differencesOf(place, seen, { ...frame.view, ...leftOutOf(frame.view) });
  const { from, offset, length } = frame.view as {
    from: 'client' | 'server';
    offset: number;
    length: number;
  };
  const extent = [offset, FRAME_HEADER + length] as const;
  found.push(...rangeDifferences(place, said['tls_records'], extent, carried?.[from], isWire));
  if (frame.block) found.push(...blockDifferences(place, said, frame.block, fields, frame));
  else if (said['fields'] !== undefined) found.push(`${place} has fields of no block`);
  return found;
}

/** What of a payload is only counted, since as many bytes as these are shown. */
function leftOutOf({ length, bytes, debug_data, priority, settings }: View): View {
  const left: [name: string, count: number][] = [];
  if (typeof bytes === 'string') left.push(['bytes', Number(length) - bytes.length]);
  if (typeof debug_data === 'string') {
    left.push(['debug_data', Number(length) - 8 - debug_data.length]);
  }
  if (typeof priority === 'string') left.push(['priority', Number(length) - 4 - priority.length]);
  if (Array.isArray(settings)) left.push(['settings', Number(length) / 6 - settings.length]);
  return Object.fromEntries(
    left.filter(([, count]) => count > 0).map(([name, count]) => [`${name}_left_out`, count]),
  );
}

function blockDifferences(
  place: string,
  said: View,
  block: Buffer,
  decoded: ReadonlyMap<Frame, Fields> | undefined,
  frame: Frame,
): string[] {
  const hpack = said['hpack'] as { length: number; error?: unknown } | undefined;
  const found = differencesOf(`${place} block length`, hpack?.length, block.length);
  const fields = decoded?.get(frame);
  if (hpack?.error !== undefined || (decoded && !fields)) {
    const isRefused = decoded === undefined || fields === undefined;
    if (hpack?.error === undefined || !isRefused) found.push(`${place}: one decoder refuses it`);
    return found;
  }
  const seen = (said['fields'] as View[]).map((field) => without(field, 'dropped', 'refused'));
  const expected = (representationsOf(block) ?? []).map((representation, at) => {
    const { name, value } = seen[at] ?? {};
    const pair = decoded ? { name: fields?.[at]?.[0], value: fields?.[at]?.[1] } : { name, value };
    return Object.assign(pair, representation);
  });
  return [...found, ...differencesOf(`${place} fields`, seen, expected)];
}

/** How many frames of each stream are kept, and how many are counted as left out. */
function keptDifferences(
  said: readonly View[],
  { client, server }: Recorded,
  opened: ReadonlySet<number>,
  { frames_left_out, streams_left_out }: NonNullable<Story['http2']>,
): string[] {
  const sent = new Map<number, number>();
  const seen = new Set<number>();
  for (const { type, stream } of client) {
    if (type === 1 && opened.has(stream)) seen.add(stream);
    // Frames of a stream that is not open count with the connection.
    const of = seen.has(stream) ? stream : 0;
    sent.set(of, (sent.get(of) ?? 0) + 1);
  }
  for (const { stream } of server) {
    const of = opened.has(stream) ? stream : 0;
    sent.set(of, (sent.get(of) ?? 0) + 1);
  }
  const left = Math.max(0, opened.size - STREAMS);
  const found = differencesOf('streams left out', streams_left_out, left);
  const total = client.length + server.length - said.length;
  found.push(...differencesOf('frames left out', frames_left_out, total));
  if (left > 0) return found;
  const kept = [...sent.values()].reduce((sum, count) => sum + Math.min(count, FRAMES), 0);
  return [...found, ...differencesOf('frames kept', said.length, kept)];
}

/** The `wire` of an echo has the request's frames as far as they had come. */
function wireDifferences(stream: number, recorded: Recorded): string[][] {
  const content = recorded.server
    .filter((frame) => frame.type === 0 && frame.stream === stream)
    .map((frame) => frame.content);
  const echo = Buffer.concat(content);
  const wire = wireOf(echo) as { stream: number; frames: View[] } | undefined;
  if (!wire) return [];
  const found = differencesOf('wire stream', wire.stream, stream);
  for (const from of ['client', 'server'] as const) {
    const said = wire.frames.filter((frame) => frame['from'] === from);
    const sent = recorded[from].filter((frame) => frame.stream === stream);
    // PRIORITY may precede the request.
    const first = sent.findIndex(({ type }) => type === 1);
    const frames = from === 'client' ? sent.slice(first) : sent;
    found.push(
      ...said.flatMap((view, at) => {
        const frame = frames[at];
        const place = `wire of stream ${stream}, ${from} frame ${at}`;
        return frame
          ? frameDifferences(place, view, frame, recorded, true)
          : [`${place} was not sent`];
      }),
    );
  }
  return [[...found, ...deliveredDifferences(stream, wire.frames, echo)]];
}

/** The fields that are not marked are those that Node delivered. */
function deliveredDifferences(stream: number, frames: readonly View[], echo: Buffer): string[] {
  const { raw_headers } = echoOf(echo);
  const head = frames.find(({ fields }) => fields !== undefined);
  if (!raw_headers || !head) return [];
  const kept = (head['fields'] as View[]).filter(({ dropped }) => dropped === undefined);
  const said = kept.map(({ name, value }) => [name, value]);
  return differencesOf(`fields of stream ${stream}, delivered`, said, raw_headers);
}
