// Tests of a client against a service of their own: node --test docs/examples/
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createService } from 'wirebin';

/** What is tested: a client that asks again when it gets 503, and gives up after so many milliseconds. */
async function get(url, patience = 60_000) {
  const signal = AbortSignal.timeout(patience);
  let response = await fetch(url, { signal });
  for (let attempt = 1; attempt < 3 && response.status === 503; attempt++) {
    response = await fetch(url, { signal });
  }
  return response;
}

let service;
before(async () => {
  service = await createService({ metricsEnabled: true });
});
after(() => service.close());

test('sends no field that it was not given', async () => {
  const response = await get(`${service.httpOrigin}/headers`);
  const { headers } = await response.json();
  assert.equal(headers.authorization, undefined);
});

test('asks three times where it gets 503', async () => {
  const response = await get(`${service.httpOrigin}/status/503`);
  assert.equal(response.status, 503);
  const metrics = await get(`${service.httpOrigin}/metrics?format=json`);
  const { all_time: counts } = await metrics.json();
  assert.equal(counts.endpoint_hits['/status/:code'], 3);
});

test('gives up if there is no response', async () => {
  await assert.rejects(get(`${service.httpOrigin}/delay/300`, 100), { name: 'TimeoutError' });
});

test('follows redirects', async () => {
  const response = await get(`${service.httpOrigin}/redirect/2`);
  assert.equal(response.url, `${service.httpOrigin}/get`);
});
