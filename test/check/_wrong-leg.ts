import type { RawFrame } from '../../src/wire/http2/frame.ts';
import type { LegDeviation } from './_http2-leg.ts';
import type { Setup, WrongProxy } from './_wrong.ts';

export const HTTP2_ORIGIN: Setup = { scheme: 'http', hasHttp2Origin: true };

/** A gateway with one fault towards an origin on HTTP/2. */
export function wrongLeg(name: string, leg: LegDeviation, turns: WrongProxy['turns']): WrongProxy {
  return { name, deviation: {}, leg, turns, setup: HTTP2_ORIGIN };
}

/** One that changes frames of the origin before it reads them. */
export function readingFrames(
  name: string,
  frame: (received: RawFrame) => RawFrame | readonly RawFrame[] | undefined,
  turns: WrongProxy['turns'],
): WrongProxy {
  return wrongLeg(name, { frames: { frame } }, turns);
}

/** One that ignores frames of the origin, which waits for what does not come. */
export function ignoringFrames(
  name: string,
  isIgnored: (received: RawFrame) => boolean,
  turns: WrongProxy['turns'],
): WrongProxy {
  const proxy = readingFrames(
    name,
    (received) => (isIgnored(received) ? undefined : received),
    turns,
  );
  return { ...proxy, isSilent: true };
}
