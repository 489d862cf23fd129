import { randomBytes } from 'node:crypto';
import type { Values } from '../../server/parse-parameters.ts';
import { anyText, described, flag, int, optional, required } from '../../server/params.ts';
import { invalidParameter, Problem } from '../../http/problem.ts';
import {
  CloseCode,
  encodeFrame,
  isCloseCode,
  MAX_CONTROL_LENGTH,
  Opcode,
} from '../../wire/websocket/frame.ts';

/** What a fault does to a WebSocket. */
export interface FaultTarget {
  /** Sends bytes as they are. */
  send(bytes: Buffer): void;
  /** Sends Close, and ends. @param reason at most 123 bytes */
  close(code: number, reason: string): void;
  /** Resets the connection, on HTTP/2 the stream. */
  reset(): void;
  /** Sends nothing more, and discards what arrives. */
  stall(): void;
  ignorePings(): void;
  /** Masks all later frames. */
  maskFrames(mask: Uint8Array): void;
}

export interface WebSocketFault {
  /** As metrics, journal and log show it. */
  readonly kind: string;
  /** Number of messages that are sent back before. */
  readonly after: number;
  begin(target: FaultTarget): void;
}

/** A fault that a flag turns on. */
interface Kind {
  readonly description: string;
  begin(target: FaultTarget): void;
}

/** Reserved for non-control frames (RFC 6455 5.2). */
const RESERVED_OPCODE = 3;
/** Bytes that are sent of those that `oversized` announces. */
const OVERSIZED_START = 1024;

const kinds = {
  reset: {
    description: 'Resets the connection, on HTTP/2 the stream.',
    begin: (target) => target.reset(),
  },
  stall: {
    description: 'Sends nothing more, no Pong and no Close either.',
    begin: (target) => target.stall(),
  },
  'no-pong': {
    description: 'Ignores Pings.',
    begin: (target) => target.ignorePings(),
  },
  'bad-utf8': {
    description: 'Sends a text message that is not UTF-8.',
    begin: (target) => target.send(wholeFrame(Opcode.text, Buffer.of(0x63, 0xff))),
  },
  masked: {
    description: 'Masks its frames.',
    begin: (target) => target.maskFrames(randomBytes(4)),
  },
  'bad-opcode': {
    description: 'Sends a frame with opcode 3.',
    begin: (target) => target.send(wholeFrame(RESERVED_OPCODE, Buffer.of())),
  },
  oversized: {
    description: 'Begins a frame of 2^62 bytes, and stalls.',
    begin(target) {
      const head = Buffer.from('827f4000000000000000', 'hex');
      target.send(Buffer.concat([head, Buffer.alloc(OVERSIZED_START)]));
      target.stall();
    },
  },
} satisfies Readonly<Record<string, Kind>>;

type KindName = keyof typeof kinds;
const KINDS = Object.keys(kinds).filter(isKind);

function isKind(name: string): name is KindName {
  return Object.hasOwn(kinds, name);
}

function wholeFrame(opcode: number, content: Buffer): Buffer {
  return encodeFrame({ isFinal: true, opcode, content });
}

const closeCode = required<number>(
  {
    type: 'integer',
    minimum: 1000,
    maximum: 4999,
    pattern: String.raw`^(?:100[0-37-9]|101[0-4]|[34]\d{3})$`,
    examples: [1011],
  },
  (text, name) => {
    const code = /^\d{4}$/.test(text) ? Number(text) : 0;
    if (!isCloseCode(code)) throw invalidParameter(name, text, 'is no code that may be sent');
    return code;
  },
);

const MAX_REASON = MAX_CONTROL_LENGTH - 2;

const flagFor = (name: KindName): typeof flag => described(kinds[name].description, flag);

/** The query parameters of faults. At most one fault can be asked for. */
export const faultParameters = {
  after: described(
    'Messages that are sent back before the fault.',
    optional(int({ min: 0, max: 1000 }), undefined),
  ),
  close: described('Closes with this code.', optional(closeCode, undefined)),
  reason: described('The reason of `close`.', optional(anyText(), undefined)),
  reset: flagFor('reset'),
  stall: flagFor('stall'),
  'no-pong': flagFor('no-pong'),
  'bad-utf8': flagFor('bad-utf8'),
  masked: flagFor('masked'),
  'bad-opcode': flagFor('bad-opcode'),
  oversized: flagFor('oversized'),
};

/** The fault of a request; undefined without one. @throws Problem if the parameters contradict each other */
export function faultOf(query: Values<typeof faultParameters>): WebSocketFault | undefined {
  const { close, reason, after } = query;
  const names = [...(close === undefined ? [] : ['close']), ...KINDS.filter((name) => query[name])];
  const [name, second] = names;
  if (second !== undefined) throw contradiction(`${names.join(' and ')} are two faults`);
  if (reason !== undefined && close === undefined) throw contradiction('reason needs close');
  if (Buffer.byteLength(reason ?? '') > MAX_REASON) {
    throw invalidParameter('reason', reason ?? '', `has more than ${MAX_REASON} bytes`);
  }
  if (name === undefined) {
    if (after === undefined) return undefined;
    throw contradiction(`after needs a fault: close, ${KINDS.join(', ')}`);
  }
  const begin = (target: FaultTarget): void => {
    if (isKind(name)) kinds[name].begin(target);
    else target.close(close ?? CloseCode.normal, reason ?? '');
  };
  return { kind: `websocket-${name}`, after: after ?? 0, begin };
}

const contradiction = (detail: string): Problem => new Problem('invalid-parameter', detail);
