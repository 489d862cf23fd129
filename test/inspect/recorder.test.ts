import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isHttp2, isSecure, transports } from '../_client.ts';
import { sendHttp1, sendHttp2 } from './recorder/_clients.ts';
import { http1Inputs } from './recorder/_http1-inputs.ts';
import { http2Inputs } from './recorder/_http2-inputs.ts';
import { Measure } from './recorder/_measure.ts';

/** Connections on each transport, with several requests each; `npm run test:recorder` has many more. */
const CONNECTIONS = 8;

let directory = '';
let measure: Measure;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'wirebin-recorder-'));
  measure = await Measure.start(directory);
});
afterAll(() => {
  measure.close();
  // Windows keeps a file until the last who has opened it has closed it.
  rmSync(directory, { recursive: true, maxRetries: 10 });
});

test.each(transports)('%s: what is shown equals the recording', async (transport) => {
  const seed = Date.now() % 2 ** 31;
  const samples = { seed, numRuns: CONNECTIONS };
  if (isHttp2(transport)) {
    for (const input of fc.sample(http2Inputs(4), samples)) {
      await sendHttp2(measure.port, isSecure(transport), input);
    }
  } else {
    for (const input of fc.sample(http1Inputs(4), samples)) {
      await sendHttp1(measure.port, isSecure(transport), input);
    }
  }
  const { differences, connections, requests } = await measure.compare(false);
  expect(differences, `seed ${seed}`).toEqual([]);
  expect(connections).toBe(CONNECTIONS);
  expect(requests).toBeGreaterThanOrEqual(CONNECTIONS);
});
