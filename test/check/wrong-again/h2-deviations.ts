import { Flag, FrameType, type RawFrame } from '../../../src/wire/http2/frame.ts';
import type { FieldLine } from '../../../src/check/message.ts';
import type { Deviation } from '../_gateway-messages.ts';

type Fields = readonly FieldLine[];
const PSEUDO = new Set([':method', ':scheme', ':authority', ':path']);
const OF_HTTP1 = new Set([
  'connection',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'proxy-connection',
]);

export const reading = (fields: (fields: Fields) => Fields): Deviation => ({ frames: { fields } });
export const onFrame = (
  frame: (received: RawFrame) => RawFrame | readonly RawFrame[] | undefined,
): Deviation => ({
  frames: { frame },
});
export const answering = (answer: (received: RawFrame) => RawFrame | undefined): Deviation => ({
  frames: { answer },
});

/** The pseudo-header fields first, and each with the value that it is given. */
export const withPseudo = (fields: Fields, change: (own: Map<string, string>) => void): Fields => {
  const own = new Map<string, string>();
  for (const [name, value] of fields) if (PSEUDO.has(name) && !own.has(name)) own.set(name, value);
  change(own);
  return [...own, ...fields.filter(([name]) => !name.startsWith(':'))];
};

// oxlint-disable-next-line no-control-regex -- They are malformed.
const CONTROL = /[\0\r\n]/;
export const isWellFormed = ([name, value]: FieldLine): boolean =>
  /^:?[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && !CONTROL.test(value) && !OF_HTTP1.has(name);

export const rstStream = (stream: number, code: number): RawFrame => {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(code);
  return { type: FrameType.rstStream, flags: 0, stream, payload };
};

export const NAMES = {
  'h2/uppercase': 'fail',
  'h2/name-space': 'fail',
  'h2/name-colon': 'fail',
  'h2/name-empty': 'fail',
} as const;
export const VALUES = {
  'h2/value-crlf': 'fail',
  'h2/value-lf': 'fail',
  'h2/value-nul': 'fail',
} as const;
export const HOPS = {
  'h2/connection': 'fail',
  'h2/transfer-encoding': 'fail',
  'h2/keep-alive': 'fail',
  'h2/upgrade': 'fail',
} as const;
export const SECTIONS = {
  'h2/late-pseudo': 'fail',
  'h2/repeated-path': 'fail',
  'h2/repeated-authority': 'fail',
  'h2/unknown-pseudo': 'fail',
  'h2/response-pseudo': 'fail',
  'h2/no-path': 'fail',
  'h2/no-method': 'fail',
  'h2/no-scheme': 'fail',
  'h2/empty-path': 'fail',
} as const;

/** Marks a request that was malformed. */
const isMalformed = (fields: Fields): boolean => !fields.every(isWellFormed);
export const emptyAnswer = (status: number): Deviation => ({
  frames: {
    fields: (fields) =>
      isMalformed(fields)
        ? [...withPseudo(fields, () => undefined).filter(isWellFormed), ['x-malformed', '1']]
        : fields,
  },
  refuses: ({ fields }) => (fields.some(([name]) => name === 'x-malformed') ? status : undefined),
});

/** Refuses the requests of a connection after the first ones. */
export function refusingMany(most: number): Deviation {
  const counts = new Map<number, number>();
  return {
    refuses: ({ version, port }) => {
      if (version !== '2.0') return undefined;
      const count = (counts.get(port) ?? 0) + 1;
      counts.set(port, count);
      return count > most ? 503 : undefined;
    },
  };
}

export function holdingSettings(): Deviation {
  let held: RawFrame | undefined;
  return onFrame((received) => {
    if (received.type === FrameType.settings && (received.flags & Flag.ack) === 0) {
      held = received;
      return undefined;
    }
    if (received.type !== FrameType.headers || !held) return received;
    const frames = [held, received];
    held = undefined;
    return frames;
  });
}

export function afterFrame(
  isFirst: (received: RawFrame) => boolean,
  next: (received: RawFrame) => RawFrame | undefined,
): Deviation {
  let has = false;
  return onFrame((received) => {
    if (isFirst(received)) {
      has = true;
      return undefined;
    }
    if (!has || received.type !== FrameType.headers) return received;
    has = false;
    return next(received);
  });
}
