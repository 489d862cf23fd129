import { expect, test } from 'vitest';
import { transports } from '../_client.ts';
import { sendSamples } from './recorder/_clients.ts';
import { sharedMeasure } from './recorder/_measure.ts';

/** Connections on each transport, with several requests each; `npm run test:recorder` has many more. */
const CONNECTIONS = 8;

const measure = sharedMeasure();

test.each(transports)('%s: what is shown equals the recording', async (transport) => {
  const seed = Date.now() % 2 ** 31;
  await sendSamples(measure().port, transport, { oddity: 4, seed, connections: CONNECTIONS });
  const { differences, connections, requests } = await measure().compare(false);
  expect(differences, `seed ${seed}`).toEqual([]);
  expect(connections).toBe(CONNECTIONS);
  expect(requests).toBeGreaterThanOrEqual(CONNECTIONS);
});
