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
  const { maxSessionMemory, maxResets, maxControlFrames } = settings;
  return {
    maxFields,
    maxHeaderSize,
    headerTimeout: settings.headerTimeout * SECOND,
    requestTimeout: settings.requestTimeout * SECOND,
    idleTimeout: settings.idleTimeout * SECOND,
    stallTimeout: settings.stallTimeout * SECOND,
    answerTimeout: settings.answerTimeout * SECOND,
    silence: SILENCE,
    maxRequests: settings.maxRequestsPerConnection || Infinity,
    maxStreams,
    maxSessionMemory,
    maxResets,
    maxControlFrames,
  };
}
