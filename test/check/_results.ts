import type { Outcome } from '../../src/check/check.ts';
import type { Facts } from '../../src/check/probe.ts';
import type { Evidence, Result } from '../../src/check/result.ts';

/** Facts of a target on HTTP/1.1 of which nothing else is known. */
export const FACTS: Facts = {
  fronts: ['http/1.1'],
  server: undefined,
  via: undefined,
  meaning: [],
  tls: undefined,
  settings: undefined,
  origins: new Map(),
  wirebin: 'unknown',
  instances: 1,
  isTunnel: false,
  ignoresQuery: false,
  pooling: 'pooled',
  met: { 'http/1.1': new Set(), h2: new Set() },
};

const evidence: Evidence = {
  sent: 'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
  origin: 'GET / HTTP/1.1\r\nhost: a\r\nVia: 1.1 b\r\n\r\n',
  received: 'HTTP/1.1 200 OK\r\nA: \u0001<b>&"\r\n\r\n',
  status: 200,
  fields: [['A', '<b>']],
  meaning: [],
  ending: 'complete',
};

/** Evidence of what was sent. */
export function evidenceOf(sent: string): Evidence {
  return { ...evidence, sent };
}

/** A result of a check on HTTP/2, with evidence if it failed. */
export function resultWithOutcome(id: Result['id'], outcome: Outcome): Result {
  const isFinding = outcome === 'fail';
  return {
    id,
    front: 'h2',
    outcome,
    level: 'must',
    risk: 'security',
    section: 'RFC 9110 7.6.1',
    rule: 'A rule with <markup> & "quotes".',
    expected: isFinding ? 'one | thing' : undefined,
    found: isFinding ? 'another\r\nthing' : undefined,
    reason: outcome === 'error' ? 'refused' : undefined,
    evidence: isFinding ? [evidence] : [],
    isProven: false,
    duration: 12.3,
  };
}
