import { expect } from 'vitest';
import type { Transport } from '../../_client.ts';
import { codeByNghttp2 } from '../../wire/http2/_nghttp2.ts';
import { sendSamples } from './_clients.ts';
import type { Measure } from './_measure.ts';

/** Requests on each transport, and what makes the same ones again. */
export const REQUESTS = Number(process.env['WIREBIN_RECORDER_REQUESTS'] ?? 1000);
const SEED = Number(process.env['WIREBIN_RECORDER_SEED'] ?? Date.now() % 2 ** 31);
/** Differences that are shown. */
const SHOWN = 20;

/** @param oddity about how many of 20 requests or fields are malformed @returns the number of requests sent */
export function send(
  port: number,
  transport: Transport,
  count: number,
  oddity: number,
): Promise<number> {
  const samples = { oddity, seed: SEED, connections: count, requests: count };
  return sendSamples(port, transport, samples);
}

/** Expects no difference in the connections since the last call. */
export async function expectSame(measure: Measure, name: string, sent: number): Promise<void> {
  const { differences, ...counts } = await measure.compare(true);
  const numbers = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  console.log(`${name}: ${sent} sent, ${numbers.join(', ')}, ${differences.length} differences`);
  expect(differences.slice(0, SHOWN), `seed ${SEED}`).toEqual([]);
  expect(counts.wires).toBeGreaterThan(0);
}

console.log(`${process.version}, seed ${SEED}, fields decoded by ${codeByNghttp2([]).library}`);
