import { FrameSplitter, FrameType, PREFACE, type RawFrame } from '../../../src/wire/http2/frame.ts';
import { differences } from '../http2-differences.ts';
import type { Difference } from './difference.ts';
import type { Input } from './inputs.ts';
import type { Outcome } from './outcome.ts';

/** What two services have made of the same input, where that is not the same. */
export interface Found {
  readonly of: Difference['of'];
  readonly node: string;
  readonly wirebin: string;
  /** The rows that explain it. */
  readonly rows: readonly Difference[];
}

const NODE = Number.parseInt(process.versions.node, 10);
export const rows = differences.filter(
  ({ sinceNode = 0, untilNode = Infinity }) => sinceNode <= NODE && NODE <= untilNode,
);

const framesOf = ({ bytes }: Input): readonly RawFrame[] =>
  new FrameSplitter().push(bytes.subarray(PREFACE.length));

/** What of the end of a connection does not depend on who tells it. */
const codeOf = ({ end, hasFailed }: Outcome): string =>
  hasFailed ? end.slice(0, end.indexOf(':')) : end;

/**
 * Whether a stream was answered that GOAWAY says was not processed (RFC 9113 6.8). The last streams of both are not
 * compared: nghttp2 also counts one whose field block is malformed, but none that it has refused.
 */
function answersAboveLast({ hasFailed, lastStream = Infinity, streams }: Outcome): boolean {
  const isAnswered = ([id, text]: readonly [number, string]): boolean =>
    id > lastStream && text.includes('[:status=');
  return hasFailed && [...streams].some(isAnswered);
}

/** Compares what has become of the connection and, if that is the same, of each stream. */
export function differencesOf(node: Outcome, wirebin: Outcome, input: Input): Found[] {
  const frames = framesOf(input);
  const found = (of: Difference['of'], one: string, other: string): Found => {
    const isRow = (row: Difference): boolean =>
      row.of === of &&
      row.node?.test(one) !== false &&
      row.wirebin?.test(other) !== false &&
      (!row.isClosing || wirebin.isClosing) &&
      (!row.isOfSameLength || node.content === wirebin.content) &&
      (!row.sent || frames.some(row.sent));
    return { of, node: one, wirebin: other, rows: rows.filter(isRow) };
  };
  // When requests have ended, so that a connection that is to close closes, depends on it too.
  if (!input.isSettled && [node, wirebin].some(({ end }) => end.endsWith(', GOAWAY'))) return [];
  const ends = found('connection', node.end, wirebin.end);
  const streams = withFollowing(
    streamsOf(node, wirebin, input, frames).map(([one, other]) => found('stream', one, other)),
  );
  if (answersAboveLast(wirebin)) return [{ ...ends, rows: [] }];
  // When a connection that is to close closes depends on the streams that are open.
  const isFollowing =
    streams.some((each) => each.rows.length > 0) &&
    !wirebin.hasFailed &&
    (wirebin.isClosing || !node.hasFailed);
  if (codeOf(node) !== codeOf(wirebin) && !isFollowing) return [ends];
  if (node.end === 'goes on' && node.acknowledged !== wirebin.acknowledged) {
    const texts = [node, wirebin].map(({ acknowledged }) => `${acknowledged} acknowledgements`);
    streams.push(found('connection', texts[0] ?? '', texts[1] ?? ''));
  }
  // The same code, but for another frame.
  return ends.rows.length > 0 && streams.length > 0 ? [ends] : streams;
}

/** If one of the engines has reset a stream, there is room for another one, and for the content of others. */
function withFollowing(streams: readonly Found[]): Found[] {
  const { rows: cause = [] } = streams.find((each) => each.rows.length > 0) ?? {};
  const isFollowing = ({ node, wirebin }: Found): boolean =>
    [node, wirebin].some(
      (text) => text === '[reset REFUSED_STREAM]' || /\d bytes [^]*(?<!, end)\]$/.test(text),
    );
  return streams.map((each) =>
    each.rows.length === 0 && isFollowing(each) ? { ...each, rows: cause } : each,
  );
}

/** The streams with different texts. */
function streamsOf(
  node: Outcome,
  wirebin: Outcome,
  { isSettled }: Input,
  frames: readonly RawFrame[],
): [node: string, wirebin: string][] {
  // What has been answered before an error depends on when it was read.
  if (node.hasFailed && !isSettled) return [];
  const all = new Set([...node.streams.keys(), ...wirebin.streams.keys()]);
  const given = Array.from(all, (id) => {
    const texts: [string, string] = [node.streams.get(id) ?? '', wirebin.streams.get(id) ?? ''];
    return { id, texts };
  });
  const isReset = ({ id, texts }: { readonly id: number; readonly texts: readonly string[] }) =>
    texts.some((text) => text.includes('[reset ')) ||
    frames.some(({ type, stream }) => type === FrameType.rstStream && stream === id);
  return given
    .filter(({ texts: [one, other] }) => one !== other)
    .filter((each) => {
      // So does whether a stream is answered before it is reset, and how much of the content its window allows.
      const isComplete = each.texts.every((text) => text.endsWith(', end]'));
      return isSettled || (isComplete && !isReset(each));
    })
    .map(({ texts }) => texts);
}
