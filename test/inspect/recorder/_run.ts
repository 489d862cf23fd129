import * as fc from 'fast-check';
import { expect } from 'vitest';
import { isHttp2, isSecure, type Transport } from '../../_client.ts';
import { inflate } from '../../wire/http2/_nghttp2.ts';
import { sendHttp1, sendHttp2 } from './_clients.ts';
import { ECHO_HTTP1, http1Inputs } from './_http1-inputs.ts';
import { ECHO_HTTP2, http2Inputs } from './_http2-inputs.ts';
import type { Measure } from './_measure.ts';

/** Requests on each transport, and what makes the same ones again. */
export const REQUESTS = Number(process.env['WIREBIN_RECORDER_REQUESTS'] ?? 1000);
const SEED = Number(process.env['WIREBIN_RECORDER_SEED'] ?? Date.now() % 2 ** 31);
/** Differences that are shown. */
const SHOWN = 20;

/** @param oddity how many of 20 requests or fields are malformed, about @returns the number sent */
export async function send(
  port: number,
  transport: Transport,
  count: number,
  oddity: number,
): Promise<number> {
  const samples = { seed: SEED, numRuns: count };
  let sent = 0;
  if (isHttp2(transport)) {
    // Of few random requests, none may ask for what it shows.
    for (const input of [ECHO_HTTP2, ...fc.sample(http2Inputs(oddity), samples)]) {
      if (sent >= count) break;
      await sendHttp2(port, isSecure(transport), input);
      sent += input.requests;
    }
    return sent;
  }
  for (const input of [ECHO_HTTP1, ...fc.sample(http1Inputs(oddity), samples)]) {
    if (sent >= count) break;
    await sendHttp1(port, isSecure(transport), input);
    sent += input.requests.length;
  }
  return sent;
}

/** Expects no difference in the connections since the last call. */
export async function expectSame(measure: Measure, name: string, sent: number): Promise<void> {
  const { differences, ...counts } = await measure.compare(true);
  const numbers = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  console.log(`${name}: ${sent} sent, ${numbers.join(', ')}, ${differences.length} differences`);
  expect(differences.slice(0, SHOWN), `seed ${SEED}`).toEqual([]);
  expect(counts.wires).toBeGreaterThan(0);
}

console.log(`${process.version}, seed ${SEED}, fields decoded by ${inflate([]).decoder}`);
