import type { Settings } from './settings.ts';
import type { Http1AdapterOptions } from '../protocols/http1/server.ts';
import type { Http2AdapterOptions } from '../protocols/http2/server.ts';
import { LINGER_TIMEOUT } from '../net/lingering-close.ts';

export const SECOND = 1000;
/** Milliseconds without a byte until an HTTP/2 session is pinged, and then until it is cut. */
const SILENCE = 10 * SECOND;

/** Milliseconds between two looks at the time limits of connections. */
const SWEEP_INTERVAL = SECOND;
/** Requests that may wait for the responses before them; each takes 1.4 KB. */
const MAX_WAITING = 100_000;

type Numbers<Options> = {
  [Name in keyof Options as Options[Name] extends number ? Name : never]: Options[Name];
};

/** In the units of the adapters. */
export type Limits = Numbers<Http1AdapterOptions> & Numbers<Http2AdapterOptions>;

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
    lingerTime: LINGER_TIMEOUT,
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
