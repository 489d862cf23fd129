import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isHttp2, isSecure, transports } from '../_client.ts';
import { sendHttp1, sendHttp2 } from './recorder/_clients.ts';
import { http1Inputs } from './recorder/_http1-inputs.ts';
import { http2Inputs } from './recorder/_http2-inputs.ts';
import { sharedMeasure } from './recorder/_measure.ts';

/** Connections on each transport, with several requests each; `npm run test:recorder` has many more. */
const CONNECTIONS = 8;

const measure = sharedMeasure();

test.each(transports)('%s: what is shown equals the recording', async (transport) => {
  const seed = Date.now() % 2 ** 31;
  const samples = { seed, numRuns: CONNECTIONS };
  if (isHttp2(transport)) {
    for (const input of fc.sample(http2Inputs(4), samples)) {
      await sendHttp2(measure().port, isSecure(transport), input);
    }
  } else {
    for (const input of fc.sample(http1Inputs(4), samples)) {
      await sendHttp1(measure().port, isSecure(transport), input);
    }
  }
  const { differences, connections, requests } = await measure().compare(false);
  expect(differences, `seed ${seed}`).toEqual([]);
  expect(connections).toBe(CONNECTIONS);
  expect(requests).toBeGreaterThanOrEqual(CONNECTIONS);
});
