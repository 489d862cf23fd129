/**
 * Reads HTTP/2 frames from all bytes of one direction at once, with none of the code that is tested. Gives
 * what `wire` and `/connections/{id}` must say of them; field blocks are left to another decoder.
 */

/** Bytes kept of a payload that is neither DATA nor a field block. */
const KEPT = 1024;
const PREFACE_LENGTH = 24;
const HEADER = 9;

const TYPES =
  'DATA HEADERS PRIORITY RST_STREAM SETTINGS PUSH_PROMISE PING GOAWAY WINDOW_UPDATE CONTINUATION ALTSVC - ORIGIN';
const SETTINGS =
  '- HEADER_TABLE_SIZE ENABLE_PUSH MAX_CONCURRENT_STREAMS INITIAL_WINDOW_SIZE MAX_FRAME_SIZE MAX_HEADER_LIST_SIZE - ENABLE_CONNECT_PROTOCOL NO_RFC7540_PRIORITIES';
const ERRORS =
  'NO_ERROR PROTOCOL_ERROR INTERNAL_ERROR FLOW_CONTROL_ERROR SETTINGS_TIMEOUT STREAM_CLOSED FRAME_SIZE_ERROR REFUSED_STREAM CANCEL COMPRESSION_ERROR CONNECT_ERROR ENHANCE_YOUR_CALM INADEQUATE_SECURITY HTTP_1_1_REQUIRED';
const hex = (value: number, bytes: number): string =>
  `0x${value
    .toString(16)
    .toUpperCase()
    .padStart(2 * bytes, '0')}`;

/** One representation of a field block (RFC 7541 6), without its strings decoded. */
export interface Representation {
  readonly representation: string;
  readonly index?: number;
  readonly huffman_name?: true;
  readonly huffman_value?: true;
  readonly offset: number;
  readonly length: number;
}

export interface Frame {
  /** As in the story of the connection, without times, windows, fields and what is wrong with it. */
  readonly view: Readonly<Record<string, unknown>>;
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
  /** Set in the frame that ends a field block. */
  readonly block: Buffer | undefined;
  readonly content: Buffer;
}

export function readFrames(bytes: Buffer, from: 'client' | 'server'): Frame[] {
  const frames: Frame[] = [];
  let fragments: Buffer[] | undefined;
  let at = from === 'client' ? PREFACE_LENGTH : 0;
  while (at + HEADER <= bytes.length) {
    const length = bytes.readUIntBE(at, 3);
    const type = bytes.readUInt8(at + 3);
    const flags = bytes.readUInt8(at + 4);
    const stream = bytes.readUInt32BE(at + 5) & 0x7fffffff;
    const payload = bytes.subarray(at + HEADER, at + HEADER + length);
    if (payload.length < length) break;
    const { view, content } = payloadOf(type, flags, payload);
    if (type === 1 && view['fragment'] !== undefined) fragments = [content];
    else if (type === 9) fragments?.push(content);
    const isEnd = (type === 1 || type === 9) && (flags & 4) !== 0 && fragments !== undefined;
    const block = isEnd ? Buffer.concat(fragments ?? []) : undefined;
    if (isEnd) fragments = undefined;
    const header = {
      from,
      type: typeName(type),
      flags: flagsOf(type, flags),
      stream,
      length,
      offset: at,
    };
    frames.push({ view: { ...header, ...view }, type, flags, stream, payload, block, content });
    at += HEADER + length;
  }
  return frames;
}

function typeName(type: number): string {
  if (type === 16) return 'PRIORITY_UPDATE';
  const name = TYPES.split(' ')[type] ?? '-';
  return name === '-' ? hex(type, 1) : name;
}

function flagsOf(type: number, flags: number): string[] {
  const names: Record<string, string> = {
    '0:1': 'END_STREAM',
    '0:8': 'PADDED',
    '1:1': 'END_STREAM',
    '1:4': 'END_HEADERS',
    '1:8': 'PADDED',
    '1:32': 'PRIORITY',
    '4:1': 'ACK',
    '5:4': 'END_HEADERS',
    '5:8': 'PADDED',
    '6:1': 'ACK',
    '9:4': 'END_HEADERS',
  };
  return [1, 2, 4, 8, 16, 32, 64, 128]
    .filter((flag) => (flags & flag) !== 0)
    .map((flag) => names[`${type}:${flag}`] ?? hex(flag, 1));
}

interface Payload {
  readonly view: Record<string, unknown>;
  readonly content: Buffer;
}

const EMPTY = Buffer.alloc(0);

function payloadOf(type: number, flags: number, payload: Buffer): Payload {
  if (type === 0 || type === 1) return paddedOf(type, flags, payload);
  if (type === 9) return { view: { fragment: payload.length }, content: payload };
  const raw = { bytes: payload.toString('latin1', 0, KEPT) };
  return { view: controlOf(type, flags, payload) ?? raw, content: EMPTY };
}

function paddedOf(type: number, flags: number, payload: Buffer): Payload {
  const isPadded = (flags & 8) !== 0;
  const hasPriority = type === 1 && (flags & 32) !== 0;
  const start = (isPadded ? 1 : 0) + (hasPriority ? 5 : 0);
  const padding = isPadded ? (payload[0] ?? 0) : 0;
  const view = isPadded ? { padding } : {};
  if (payload.length < start + padding) {
    return { view: { ...view, bytes: payload.toString('latin1', 0, start) }, content: EMPTY };
  }
  const content = payload.subarray(start, payload.length - padding);
  const priority = hasPriority ? priorityOf(payload, isPadded ? 1 : 0) : {};
  const length = type === 0 ? { content: content.length } : { fragment: content.length };
  return { view: { ...view, ...priority, ...length }, content };
}

function priorityOf(payload: Buffer, at: number): Record<string, unknown> {
  const word = payload.readUInt32BE(at);
  return {
    exclusive: word >>> 31 === 1,
    depends_on: word & 0x7fffffff,
    weight: payload.readUInt8(at + 4) + 1,
  };
}

/** Undefined if the length is not one that the type may have. */
function controlOf(
  type: number,
  flags: number,
  payload: Buffer,
): Record<string, unknown> | undefined {
  const { length } = payload;
  switch (type) {
    case 2:
      return length === 5 ? priorityOf(payload, 0) : undefined;
    case 3:
      return length === 4 ? { code: errorOf(payload.readUInt32BE(0)) } : undefined;
    case 4:
      if ((flags & 1) !== 0) return length === 0 ? {} : undefined;
      return length % 6 === 0 ? { settings: settingsOf(payload) } : undefined;
    case 6:
      return length === 8 ? { data: payload.toString('hex') } : undefined;
    case 7: {
      if (length < 8) return undefined;
      const debug = payload.toString('latin1', 8, KEPT);
      return {
        last_stream: payload.readUInt32BE(0) & 0x7fffffff,
        code: errorOf(payload.readUInt32BE(4)),
        ...(debug !== '' && { debug_data: debug }),
      };
    }
    case 8:
      return length === 4 ? { increment: payload.readUInt32BE(0) & 0x7fffffff } : undefined;
    case 16:
      if (length < 4) return undefined;
      return {
        prioritized_stream: payload.readUInt32BE(0) & 0x7fffffff,
        priority: payload.toString('latin1', 4, KEPT),
      };
    default:
      return undefined;
  }
}

function errorOf(code: number): string {
  return ERRORS.split(' ')[code] ?? hex(code, 2);
}

function settingsOf(payload: Buffer): { name: string; value: number }[] {
  const names = SETTINGS.split(' ');
  return Array.from({ length: payload.length / 6 }, (_, at) => {
    const id = payload.readUInt16BE(6 * at);
    const name = names[id] ?? '-';
    return { name: name === '-' ? hex(id, 2) : name, value: payload.readUInt32BE(6 * at + 2) };
  });
}

/** How each field of a block is represented; undefined if the block is cut. */
export function representationsOf(block: Buffer): Representation[] | undefined {
  const found: Representation[] = [];
  let at = 0;
  const integer = (prefix: number): number => {
    const mask = 2 ** prefix - 1;
    let value = block.readUInt8(at++) & mask;
    if (value < mask) return value;
    for (let shift = 0; ; shift += 7) {
      const byte = block.readUInt8(at++);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const string = (): boolean => {
    const isHuffman = block.readUInt8(at) >= 0x80;
    const length = integer(7);
    at += length;
    if (at > block.length) throw new RangeError('a string is cut');
    return isHuffman;
  };
  try {
    while (at < block.length) {
      const offset = at;
      const first = block.readUInt8(at);
      if (first >= 0x80) {
        const index = integer(7);
        found.push({ representation: 'indexed', index, offset, length: at - offset });
        continue;
      }
      if (first >= 0x20 && first < 0x40) {
        integer(5);
        continue;
      }
      const isIndexed = first >= 0x40;
      const literal = first >= 0x10 ? 'never-indexed' : 'literal';
      const index = integer(isIndexed ? 6 : 4);
      const isName = index === 0 && string();
      const isValue = string();
      found.push({
        representation: isIndexed ? 'literal-indexed' : literal,
        ...(index > 0 && { index }),
        ...(isName && { huffman_name: true as const }),
        ...(isValue && { huffman_value: true as const }),
        offset,
        length: at - offset,
      });
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  return found;
}
