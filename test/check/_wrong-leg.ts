import type { RawFrame } from '../../src/wire/http2/frame.ts';
import type { LegDeviation } from './_http2-leg.ts';
import { wrong, type Setup, type Turns, type WrongProxy } from './_wrong.ts';

export const HTTP2_ORIGIN: Setup = { scheme: 'http', hasHttp2Origin: true };

/** A gateway with one fault towards an origin on HTTP/2. */
export function wrongLeg(name: string, turns: Turns, leg: LegDeviation): WrongProxy {
  return { ...wrong(name, turns, {}), leg, setup: HTTP2_ORIGIN };
}

/** One that changes frames of the origin before it reads them. */
export function readingFrames(
  name: string,
  turns: Turns,
  frame: (received: RawFrame) => RawFrame | readonly RawFrame[] | undefined,
): WrongProxy {
  return wrongLeg(name, turns, { frames: { frame } });
}

/** One that ignores frames of the origin, which waits for what does not come. */
export function ignoringFrames(
  name: string,
  turns: Turns,
  isIgnored: (received: RawFrame) => boolean,
): WrongProxy {
  const proxy = readingFrames(name, turns, (received) =>
    isIgnored(received) ? undefined : received,
  );
  return { ...proxy, isSilent: true };
}
