import { describe, onTestFinished } from 'vitest';
import { HpackDecoder } from '../../../../src/wire/http2/hpack-decoder.ts';
import { until } from '../../../_adapters.ts';
import { observe, type Ending } from '../../../_ending.ts';
import * as h2 from '../../../_frames.ts';
import type { Argument, Running } from '../../../_service.ts';
import { sharedService } from '../../../_shared.ts';

export const PUSH_PROMISE = 5;
const ACK = 1;
const OPAQUE = Buffer.from('8 bytes.');
/** A PING of the client, and the acknowledgement as text. */
export const PING = h2.frame(h2.PING, 0, 0, OPAQUE);
export const PONG = `PING ACK ${OPAQUE.toString('hex')}`;

/** A client on a connection of its own. */
export interface Asking {
  readonly client: h2.FrameClient;
  readonly ended: Promise<Ending>;
  readonly received: () => Buffer;
  /** All frames after the server's SETTINGS and the acknowledgement of ours, as text. */
  readonly frames: () => string[];
  /** How the server ends the connection, with those frames. */
  readonly outcome: () => Promise<{ frames: string[] } & Ending>;
  /** Sends RST. */
  readonly reset: () => void;
}

export interface Place {
  readonly isSecure: boolean;
  readonly running: () => Running;
  /** Opens a connection and sends frames on it. */
  readonly ask: (...frames: readonly Buffer[]) => Asking;
  /** How `close_notify` and FIN end a connection. */
  readonly FIN: Ending;
  readonly RST: Ending;
}

/** The same tests in clear and over TLS, against one service each. */
export function inClearAndOverTls(tests: (place: Place) => void, ...args: Argument[]): void {
  describe.each([
    ['in clear', false],
    ['over TLS', true],
  ])('%s', (_, isSecure) => {
    const running = sharedService(...args);
    tests({
      isSecure,
      running,
      ask: (...frames) => ask(running().port, isSecure, frames),
      FIN: { ending: 'FIN', closeNotify: isSecure ? true : undefined },
      RST: { ending: 'RST', closeNotify: isSecure ? false : undefined },
    });
  });
}

function ask(port: number, isSecure: boolean, sent: readonly Buffer[]): Asking {
  const { tcp, socket, received, ended } = observe(port, isSecure, 'h2');
  onTestFinished(() => void tcp.destroy());
  const hasOpening = sent[0]?.includes('PRI') === true;
  const client = new h2.FrameClient(socket, hasOpening ? Buffer.alloc(0) : h2.OPENING);
  client.send(...sent);
  const frames = (): string[] => summaries(client.frames);
  return {
    client,
    ended,
    received,
    frames,
    outcome: async () => {
      const ending = await ended;
      return { frames: frames(), ...ending };
    },
    reset: () => void tcp.resetAndDestroy(),
  };
}

/** DATA that follow each other on a stream are joined. */
function summaries(frames: readonly h2.Frame[]): string[] {
  const joined: h2.Frame[] = [];
  for (const each of frames) {
    if (each.type === h2.SETTINGS) continue;
    const last = joined.at(-1);
    const isNext = last?.type === h2.DATA && each.type === h2.DATA && last.stream === each.stream;
    if (!last || !isNext || (last.flags & h2.END_STREAM) !== 0) joined.push(each);
    else {
      const payload = Buffer.concat([last.payload, each.payload]);
      joined[joined.length - 1] = { ...each, payload };
    }
  }
  return joined.map(summary);
}

function summary({ type, flags, stream, payload }: h2.Frame): string {
  const end = (flags & h2.END_STREAM) === 0 ? '' : ' END';
  switch (type) {
    case h2.DATA:
      return `DATA ${stream} ${payload.length}${end}`;
    case h2.HEADERS:
      return `HEADERS ${stream}${end}`;
    case h2.RST_STREAM:
      return `RST_STREAM ${stream} ${payload.readUInt32BE()}`;
    case h2.PING:
      return (flags & ACK) === 0 ? 'PING' : `PING ACK ${payload.toString('hex')}`;
    case h2.GOAWAY: {
      const debug = payload.subarray(8).toString('latin1');
      return `GOAWAY ${payload.readUInt32BE()} ${payload.readUInt32BE(4)} ${debug}`.trimEnd();
    }
    case h2.WINDOW_UPDATE:
      return `WINDOW_UPDATE ${stream} ${payload.readUInt32BE()}`;
    case PUSH_PROMISE:
      return `PUSH_PROMISE ${stream} ${payload.readUInt32BE()}`;
    default:
      return `${type} ${stream} ${payload.length}`;
  }
}

/** The fields of the header sections on a stream, in order; one decoder per connection. */
export function fieldsOf({ frames }: h2.FrameClient, stream = 1): [string, string][][] {
  const decoder = new HpackDecoder();
  const sections: [string, string][][] = [];
  let block = Buffer.alloc(0);
  for (const { type, flags, stream: of, payload } of frames) {
    if (type !== h2.HEADERS && type !== h2.CONTINUATION) continue;
    block = Buffer.concat([block, payload]);
    if ((flags & h2.END_HEADERS) === 0) continue;
    const { fields } = decoder.decode(block);
    if (of === stream) sections.push(fields.map(({ name, value }) => [name, value]));
    block = Buffer.alloc(0);
  }
  return sections;
}

/** Waits until the frames are these. */
export async function untilFrames({ frames }: Asking, expected: readonly string[]): Promise<void> {
  const wanted = expected.join();
  await until(() => frames().join() === wanted).catch(() => {
    throw new Error(`expected ${wanted}, got ${frames().join()}`);
  });
}
