import type { Settings } from './config.ts';
import type { Http1Options } from './protocols/h1.ts';
import type { Http2Options } from './protocols/h2.ts';
import { LINGER } from './wire/linger.ts';

export const SECOND = 1000;
/** Milliseconds without an octet until an HTTP/2 session is pinged, and then until it is cut. */
const SILENCE = 10 * SECOND;

/** Milliseconds between two looks at the time limits of connections. */
const SWEEP_INTERVAL = SECOND;
/** Requests that may wait for the responses before them; each takes 1.4 KB. */
const MAX_WAITING = 100_000;

type Numbers<Options> = {
  [Name in keyof Options as Options[Name] extends number ? Name : never]: Options[Name];
};

/** In the units of the adapters. */
export type Limits = Numbers<Http1Options> & Numbers<Http2Options>;

/** What the settings allow connections, requests and answers. */
export function limitsOf(settings: Settings): Limits {
  const { maxFields, maxHeaderSize, maxStreams } = settings;
  const { maxResets, maxControlFrames } = settings;
  return {
    maxFields,
    maxHeaderSize,
    headerTimeout: milliseconds(settings.headerTimeout),
    requestTimeout: milliseconds(settings.requestTimeout),
    idleTimeout: milliseconds(settings.idleTimeout),
    stallTimeout: milliseconds(settings.stallTimeout),
    answerTimeout: milliseconds(settings.answerTimeout),
    silence: SILENCE,
    sweepInterval: SWEEP_INTERVAL,
    lingerTime: LINGER,
    maxRequests: settings.maxRequestsPerConnection || Infinity,
    maxWaitingRequests: MAX_WAITING,
    maxStreams,
    // Node counts whole MB.
    maxSessionMemory: Math.floor(settings.maxSessionMemory),
    maxResets,
    maxControlFrames,
  };
}

/** Whole ones, as Node's timeouts are; seconds come with fractions from units such as `250ms`. */
function milliseconds(seconds: number): number {
  return Math.round(seconds * SECOND);
}
