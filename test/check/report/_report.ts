import type { Received } from '../../../src/check/origin.ts';
import { findingsOf } from '../../../src/check/report/findings.ts';
import type { Report } from '../../../src/check/report/report.ts';
import type { Result } from '../../../src/check/result.ts';
import { OUTCOMES, type Level } from '../../../src/check/check.ts';
import type { FrontName } from '../../../src/check/front.ts';
import { FACTS, resultWithOutcome } from '../_results.ts';

/** What an origin on HTTP/1.1 has received. */
export const received: Received = {
  method: 'GET',
  version: 'HTTP/1.1',
  path: '/',
  isBelowPrefix: false,
  query: '',
  fields: [],
  trailers: [],
  content: Buffer.alloc(0),
  process: 'a',
  connection: 'a/1',
  requestNumber: 1,
  protocol: 'http/1.1',
  remote: '127.0.0.1:1',
  proxyProtocol: undefined,
  tls: undefined,
};

/** A report of a run with these results. */
export function reportOf(all: readonly Result[]): Report {
  return {
    target: 'http://lb.example',
    startedAt: '2026-11-22T12:00:00.000Z',
    duration: 1234,
    version: '0.1.0',
    facts: {
      ...FACTS,
      fronts: ['h2'],
      server: 'a proxy',
      tls: { version: 'TLSv1.3', alpn: 'h2' },
      settings: new Map([[3, 100]]),
      origins: new Map([['h2', received]]),
      wirebin: '0.1.0',
    },
    results: all,
    isInterrupted: false,
    inFlight: [],
    failOn: ['must', 'lost'],
    findings: findingsOf(all, ['must']),
    gaps: [],
    acceptsKnown: false,
    known: undefined,
  };
}

/** One result of each outcome. */
export const OUTCOME_RESULTS: readonly Result[] = OUTCOMES.map((outcome) =>
  resultWithOutcome(`hop/${outcome}`, outcome),
);

/** A terminal without colors. */
export const PLAIN = { isColored: false, isTerminal: true, isAll: false };

/** A finding. */
export function failed(name: string, level: Level, front: FrontName = 'h2'): Result {
  return { ...resultWithOutcome(`hop/${name}`, 'fail'), level, front };
}
