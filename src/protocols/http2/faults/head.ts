import { frame, FrameType, uint32 } from '../../../wire/http2/frame.ts';
import { respondVerbatim } from '../../../net/node-internals.ts';
import { HTTP2_HEAD_FAULTS, type FaultOf, type LargeHead } from '../../../server/fault.ts';
import { fieldBlock } from '../../../wire/http2/hpack-encoder.ts';
import { responseFrame } from './broken-frame.ts';
import { sendBytes, type FaultyResponse } from './response.ts';

/** Milliseconds that a fault of the connection waits for its other streams. */
const OTHERS_TIMEOUT = 10_000;

/** Whether HTTP/2 has the fault. */
export function isHttp2Head({ how }: FaultOf<'head'>): boolean {
  return how === 'size' || how === 'count' || HTTP2_HEAD_FAULTS.some((known) => known === how);
}

/** Sends a response with a malformed header section (RFC 9113 8.2 and 8.3). */
export async function sendHead(response: FaultyResponse, fault: FaultOf<'head'>): Promise<void> {
  const { stream, fields, status, pump } = response;
  const pseudo = [':status', String(status)] as const;
  switch (fault.how) {
    case 'uppercase':
      return sendUppercase(response);
    case 'connection-field':
      respondVerbatim(stream, [pseudo, ...lowerCase(fields), ['connection', 'keep-alive']]);
      return pump();
    case 'no-status':
      respondVerbatim(stream, lowerCase(fields));
      return pump();
    case 'late-pseudo':
      respondVerbatim(stream, [...lowerCase(fields), pseudo]);
      return pump();
    /* v8 ignore next -- checkAvailable() has refused all others */
    default:
      throw new Error(`${fault.how} is not a fault of HTTP/2`);
  }
}

/**
 * nghttp2 sends names in lower case only, so that the session has to end. Waits for its other streams, and
 * sends GOAWAY. The response has no content, which could exceed a flow-control window.
 */
async function sendUppercase({ session, stream, fields, status }: FaultyResponse): Promise<void> {
  const id = stream.id ?? 0;
  await session.streams.untilAlone(OTHERS_TIMEOUT);
  if (stream.destroyed) return;
  const withoutLength = pairs(fields).filter(([name]) => !/^content-length$/i.test(name));
  const head = fieldBlock([[':status', String(status)], ...withoutLength]);
  const response = responseFrame({ stream: id, head });
  const goaway = frame(FrameType.goaway, 0, 0, uint32(id, 0));
  await sendBytes(session, [response, goaway], 'close');
}

function pairs(fields: readonly string[]): (readonly [string, string])[] {
  return fields.flatMap((name, at) =>
    at % 2 === 0 ? [[name, fields[at + 1] ?? ''] as const] : [],
  );
}

function lowerCase(fields: readonly string[]): (readonly [string, string])[] {
  return pairs(fields).map(([name, value]) => [name.toLowerCase(), value]);
}

const NAME = 'x-fault';
/** Bytes that a field counts beside its name and value (RFC 9113 6.5.2). */
const FIELD_OVERHEAD = 32;
const MAX_VALUE = 8 * 1024;

/** Adds fields, up to a number, or up to a size as in SETTINGS_MAX_HEADER_LIST_SIZE. */
export function enlarge(fields: string[], status: number, large: LargeHead): void {
  // Node adds the date.
  const date = ['date', new Date().toUTCString()] as const;
  const present = [[':status', String(status)] as const, date, ...pairs(fields)];
  if (large.how === 'count') {
    // A pseudo-header field is not counted.
    for (let at = present.length - 1; at < large.fields; at++) fields.push(NAME, String(at));
    return;
  }
  const overhead = NAME.length + FIELD_OVERHEAD;
  let missing = large.bytes;
  for (const [name, value] of present) missing -= name.length + value.length + FIELD_OVERHEAD;
  while (missing >= overhead) {
    // The rest must have room for a field of its own.
    const size = missing < 2 * MAX_VALUE ? Math.min(missing - overhead, MAX_VALUE) : MAX_VALUE;
    fields.push(NAME, 'x'.repeat(size));
    missing -= size + overhead;
  }
}
