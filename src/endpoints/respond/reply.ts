import type { FieldLines } from '../../http/fields.ts';
import { invalidParameter, Problem } from '../../http/problem.ts';
import { hasNoContent } from '../../http/status.ts';
import { withDigests } from '../../server/digests.ts';
import { pick } from '../../server/distribution.ts';
import { pause } from '../../server/pause.ts';
import type { Payload, Repeatable, TimedStream } from '../../server/payload.ts';
import { empty, type Reply } from '../../server/reply.ts';
import { heldByValues } from '../../server/request-cost.ts';
import type { Request } from '../../server/request.ts';
import { nosniffFor } from '../../server/safety.ts';
import { sendWhenRead } from '../informational.ts';
import { pickStatus } from '../status.ts';
import { trailerField } from '../trailers.ts';
import { describedContent, encoded } from './content.ts';
import type { Description } from './parameters.ts';
import { inPieces } from './pieces.ts';
import { checkFault, checkSafety, type Permissions } from './safety.ts';

/** Limits and permissions of described responses. */
export interface ReplyOptions extends Permissions {
  /** Maximum time that the content may take, in seconds. */
  readonly maxDuration: number;
}

/**
 * Makes a described response, after its interim responses and its delay.
 *
 * @param received content of the request, for its echo
 * @throws Problem if the request's protocol, or a limit, does not allow it
 */
export async function describedReply(
  given: Description,
  request: Request,
  received: Buffer,
  options: ReplyOptions,
): Promise<Reply> {
  const { framing, fault } = given;
  if (framing !== undefined && framing !== 'length' && request.version !== 'HTTP/1.1') {
    const detail = `framing=${framing}: ${request.version} does not have it (RFC 9112 6)`;
    throw new Problem('fault-unavailable', detail);
  }
  checkSafety(given, request, options);
  const interim = given.informational_header.flat();
  for (const code of given.informational ?? []) {
    if (!(await sendWhenRead(request, code, interim))) break;
  }
  await pause(pick(given.delay ?? []) ?? 0, request.signal);
  const status = pickStatus(given.status ?? []);
  const fields = given.header.flat();
  const fixed = given.header.length > 0 || given.digest !== undefined;
  const common = { status, close: closeOf(given), replacesDefaults: fixed };
  if (hasNoContent(status)) {
    const made = await fault?.make(request, undefined);
    return { ...empty(status, fields), ...common, ...(made && { fault: made }) };
  }
  let content = describedContent(given, request, received, options);
  const own = [...nosniffFor(given.header)];
  if (given.encoding) {
    content = await encoded(request, content, given.encoding, given.damage);
    own.push('Content-Encoding', given.encoding);
  }
  if (content.type !== undefined) own.unshift('Content-Type', content.type);
  own.push(...fields, ...trailerField(given.trailer));
  const digested = await digestOf(given, request, status, content.source);
  const made = await fault?.make(request, content.source.length);
  checkFault(given, made, options);
  const payload = framed(given, request, digested.source, options.maxDuration);
  const all = [...own, ...digested.fields];
  return { ...common, fields: all, payload, ...(made && { fault: made }) };
}

/** Counts the memory of a description of this request, if it has many values: a response may wait. @throws Problem */
export function reserveDescription(given: Description, request: Request): void {
  const { header, trailer, informational_header: interim, informational } = given;
  const lines = header.length + trailer.length + interim.length;
  const shares = [given.status, given.delay, given.body_delay, informational];
  const values = shares.reduce((sum, share) => sum + (share?.length ?? 0), 2 * lines);
  const held = heldByValues(values);
  if (held > 0) request.reserve?.(held);
}

function closeOf({ framing, connection }: Description): NonNullable<Reply['close']> {
  return framing === 'close' ? 'ends-content' : connection === 'close';
}

/** The digest fields, and content that has them even if it is random. */
async function digestOf(
  { digest }: Description,
  request: Request,
  status: number,
  source: Repeatable,
): Promise<{ readonly fields: readonly string[]; readonly source: Repeatable }> {
  if (!digest) return { fields: [], source };
  const wanted = { content: digest, repr: digest };
  const { fields, payload } = await withDigests(
    request,
    { status, fields: [], payload: source },
    wanted,
  );
  const isSame = typeof payload === 'object' && 'fix' in payload;
  return { fields, source: isSame ? payload : source };
}

/** The content with the framing and the times that the description asks for. */
function framed(given: Description, request: Request, source: Repeatable, max: number): Payload {
  const { chunk, trailer, fault, rate, duration } = given;
  const seconds = rate === undefined ? (duration ?? 0) : source.length / rate;
  if (seconds > max) {
    const what = `gives ${Math.ceil(seconds)} s for ${source.length} bytes, the maximum is ${max} s`;
    throw invalidParameter('rate', String(rate), what);
  }
  const delay = pick(given.body_delay ?? []) ?? 0;
  const isTimed = rate !== undefined || duration !== undefined;
  // Elsewhere garbage would be content.
  const isGarbage = fault?.kind === 'garbage' && request.version === 'HTTP/1.1';
  const isChunked =
    trailer.length > 0 || fault?.kind === 'chunk' || isGarbage || (chunk !== undefined && !isTimed);
  const framing = given.framing ?? (isChunked ? 'chunked' : 'length');
  // HTTP/2 sends the head at once, and a fault sends it by itself.
  const isHeadLate = request.version !== 'HTTP/2.0' && request.method !== 'HEAD' && !fault;
  const flushes = delay > 0 && isHeadLate;
  const content = inPieces(source, { seconds, delay, chunk, flushes });
  return framing === 'length' ? content : withoutLength(content, trailer.flat());
}

/** The content without its length, followed by trailers. */
function withoutLength(content: Repeatable | TimedStream, trailers: FieldLines): Payload {
  const { held = 0 } = content;
  const common = { held, ...(trailers.length > 0 && { trailers }) };
  return content.kind === 'pulled'
    ? { ...common, kind: 'streamed', next: (size) => content.next(size) }
    : {
        ...common,
        kind: 'timed',
        next: (size) => content.next(size),
        wait: (signal) => content.wait(signal),
      };
}
