import { Http1Exchange } from '../../src/protocols/http1/exchange.ts';
import { Http2Exchange } from '../../src/protocols/http2/exchange.ts';
import { observeContent, streamContent } from '../../src/server/body.ts';
import { guarded } from '../../src/server/failure.ts';
import type { Fault } from '../../src/server/fault.ts';
import {
  withTrailers,
  type Payload,
  type Repeatable,
  type Streamed,
  type TimedStream,
} from '../../src/server/payload.ts';
import { text, type Reply } from '../../src/server/reply.ts';
import type { Request } from '../../src/server/request.ts';
import type { UpgradeChannel } from '../../src/server/upgrade.ts';

/** More than the largest window, of shared pieces, and than that of others. */
const MUCH = 1536 * 1024;
const SOME = 192 * 1024;

/** What the client sees of an error: a response in its place, or the end of the one that has begun. */
export type Seen = 'response' | 'broken';

/** The functions are given the error to throw. */
interface Case {
  readonly seen: Seen;
  readonly method?: 'POST';
  readonly handle: (fail: () => never, request: Request) => Reply | Promise<Reply>;
}

const replyWith = (payload: Payload, more: Partial<Reply> = {}): Reply => ({
  status: 200,
  fields: [],
  payload,
  ...more,
});

const ZEROS = new Uint8Array(MUCH);

/** A source that fails after so many bytes. */
function pulled(fail: () => never, after: number, shared = false): Repeatable {
  let left = after;
  return {
    kind: 'pulled',
    length: MUCH,
    shared,
    next(size) {
      if (left === 0) return fail();
      const piece = ZEROS.subarray(0, Math.min(size, left));
      left -= piece.length;
      return piece;
    },
    fix: () => () => pulled(fail, after, shared),
  };
}

function streamed(
  fail: () => never,
  pieces: readonly (string | Uint8Array)[],
  shared = false,
): Streamed {
  let at = 0;
  return { kind: 'streamed', shared, next: () => pieces[at++] ?? fail() };
}

/** A timed payload: what its calls of `next` and `wait` do. */
function timed(
  next: TimedStream['next'],
  wait: () => Promise<void> = () => Promise.resolve(),
): TimedStream {
  return { kind: 'timed', next, wait };
}

/** The calls in order. */
function inTurn<Result>(...calls: readonly (() => Result)[]): () => Result {
  let at = 0;
  return () => {
    const call = calls[Math.min(at++, calls.length - 1)];
    if (!call) throw new Error('no calls');
    return call();
  };
}

const X = 'x'.repeat(1024);
const BYTES = new Uint8Array(64 * 1024);
/** A name that HTTP/1.1 cannot send, and one that HTTP/2 cannot. */
const UNSENDABLE = ['a b', 'x', 'upgrade', 'x'];

const broken = (make: (fail: () => never) => Payload, more: Partial<Reply> = {}): Case => ({
  seen: 'broken',
  handle: (fail) => replyWith(make(fail), more),
});

const PAYLOADS: Record<string, Case> = {
  'pulled: the first piece': broken((fail) => pulled(fail, 0)),
  'pulled: a later piece': broken((fail) => pulled(fail, SOME)),
  'pulled: a later piece, shared': broken((fail) => pulled(fail, MUCH - 1, true)),
  'pulled: a sent piece is released': broken((fail) => ({
    ...pulled(fail, MUCH),
    release: inTurn(
      () => undefined,
      fail,
      () => undefined,
    ),
  })),
  'streamed: the first piece': broken((fail) => streamed(fail, [])),
  'streamed: a later piece': broken((fail) => streamed(fail, [BYTES, BYTES, BYTES])),
  'streamed: a later piece of text': broken((fail) => streamed(fail, [X, X])),
  'streamed: a later piece, shared': broken((fail) => streamed(fail, [ZEROS], true)),
  'streamed: something that is no piece': broken((fail) => ({
    kind: 'streamed',
    shared: true,
    next: inTurn<Uint8Array>(
      () => BYTES,
      () =>
        Object.create({
          get length() {
            return fail();
          },
        }),
    ),
  })),
  'streamed: trailers that cannot be trailers': broken((fail) => ({
    ...streamed(fail, []),
    next: inTurn<string | undefined>(
      () => X,
      () => undefined,
    ),
    trailers: UNSENDABLE,
  })),
  'timed: the first piece': broken((fail) => timed(fail)),
  'timed: a later piece': broken((fail) =>
    timed(
      inTurn<string | null>(
        () => X,
        () => null,
        () => X,
        fail,
      ),
    ),
  ),
  'timed: a piece after a full window': broken((fail) =>
    timed(
      inTurn<Uint8Array>(
        () => BYTES,
        () => BYTES,
        fail,
      ),
    ),
  ),
  'timed: a wait throws': broken((fail) =>
    timed(
      inTurn<string | null>(
        () => X,
        () => null,
      ),
      fail,
    ),
  ),
  'timed: the first wait throws': broken((fail) => timed(() => null, fail)),
  'timed: a wait rejects': broken((fail) =>
    timed(
      inTurn<string | null>(
        () => X,
        () => null,
      ),
      async () => fail(),
    ),
  ),
  'with a fault: the first piece': broken((fail) => pulled(fail, 0), {
    fault: { kind: 'reset', at: 'body', after: MUCH },
  }),
  'with a fault: a later piece': broken((fail) => pulled(fail, SOME), {
    fault: { kind: 'stall', at: 'body', after: MUCH, seconds: 60 },
  }),
  'with a fault: a wait': broken(
    (fail) =>
      timed(
        inTurn<string | null>(
          () => X,
          () => null,
        ),
        async () => fail(),
      ),
    {
      fault: { kind: 'close', at: 'end', after: 0 },
    },
  ),
  'with a false length: a later piece': broken((fail) => pulled(fail, SOME), {
    fault: { kind: 'content-length', declared: MUCH, sent: MUCH },
  }),
};

/** The content is read before the handler. */
const content = async (request: Request): Promise<void> => {
  await streamContent(request, Infinity, () => undefined);
};

const HANDLERS: Record<string, Case> = {
  'a handler': { seen: 'response', handle: (fail) => fail() },
  'a handler, later': {
    seen: 'response',
    async handle(fail) {
      await new Promise(setImmediate);
      return fail();
    },
  },
  'a handler after its content': {
    seen: 'response',
    method: 'POST',
    async handle(fail, request) {
      await content(request);
      return fail();
    },
  },
  'a handler in its content': {
    seen: 'response',
    method: 'POST',
    async handle(fail, request) {
      await streamContent(request, Infinity, fail);
      return text('x');
    },
  },
  'an observer of content': {
    seen: 'response',
    method: 'POST',
    async handle(fail, request) {
      observeContent(request, fail);
      await content(request);
      return text('late');
    },
  },
  'a callback of a handler': {
    seen: 'response',
    handle: (fail, request) =>
      new Promise(() => {
        request.sendLarge(fail);
      }),
  },
  'fields that cannot be sent': {
    seen: 'response',
    handle: () => text('x', { fields: UNSENDABLE }),
  },
  'fields of a large section that cannot be sent': {
    seen: 'response',
    handle: () => text('x', { fields: [...UNSENDABLE, 'X', 'x'.repeat(20_000)] }),
  },
};
/** Their errors are not those of the test. */
export const OF_THE_PROTOCOL = /cannot be sent|cannot be trailers/;

const READING: Record<string, Case> = {
  'a response after content that was not read': {
    seen: 'broken',
    method: 'POST',
    handle: (fail) => replyWith(pulled(fail, 0), { fault: noRead() }),
  },
};
const noRead = (): Fault => ({ kind: 'no-read', after: 0, seconds: 0, scope: 'stream' });

const TRAILERS: Record<string, Case> = {
  'text whose trailers cannot be trailers': {
    seen: 'broken',
    handle: () => replyWith(withTrailers(X.repeat(100), UNSENDABLE)),
  },
  'bytes whose trailers cannot be trailers': {
    seen: 'broken',
    handle: () => replyWith(withTrailers(BYTES, UNSENDABLE)),
  },
};

/** Requests whose handler or response fails, by what it is that does. */
export const FAILING: Readonly<Record<string, Case>> = {
  ...PAYLOADS,
  ...HANDLERS,
  ...READING,
  ...TRAILERS,
};

/** Upgrades that fail when they begin, or later. */
export const UPGRADES: Readonly<
  Record<string, (channel: UpgradeChannel, fail: () => never) => void>
> = {
  begin: (_, fail) => fail(),
  data: (channel, fail) => channel.on('data', fail),
  later: (channel, fail) => channel.on('data', () => setImmediate(guarded(channel, fail))),
};

/** Begins a response of its own, which does not end. */
export function respondOnce(request: Request): void {
  if (!(request instanceof Http1Exchange || request instanceof Http2Exchange)) {
    throw new Error('the request is none of an adapter');
  }
  request.respond(
    200,
    [],
    timed(
      () => null,
      () => new Promise(() => undefined),
    ),
    false,
  );
}

/** Responses after that one. */
export const SECOND: Readonly<Record<string, Partial<Reply>>> = {
  plain: {},
  fault: { fault: { kind: 'reset', at: 'body', after: 0 } },
  large: { fields: ['X', 'x'.repeat(20_000)] },
};
