import type { Settings } from './config.ts';
import type { Http1Options } from './protocols/h1.ts';
import type { Http2Options } from './protocols/h2.ts';

export const SECOND = 1000;
/** Milliseconds without an octet until an HTTP/2 session is pinged, and then until it is cut. */
const SILENCE = 10 * SECOND;

type Numbers<Options> = {
  [Name in keyof Options as Options[Name] extends number ? Name : never]: Options[Name];
};

/** What the settings allow connections, requests and answers, in the units of the adapters. */
export function limitsOf(settings: Settings): Numbers<Http1Options> & Numbers<Http2Options> {
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
    maxRequests: settings.maxRequestsPerConnection || Infinity,
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
