import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GenericContainer, Wait } from 'testcontainers';

/** What is tested: a client that retries after 503. */
async function get(url) {
  const response = await fetch(url);
  return response.status === 503 ? fetch(url) : response;
}

let container;
let origin;

before(async () => {
  container = await new GenericContainer('registry.example/wirebin')
    .withEnvironment({ WIREBIN_TAP: 'true' })
    .withExposedPorts(8080)
    .withWaitStrategy(Wait.forHttp('/readyz', 8080))
    .start();
  origin = `http://${container.getHost()}:${container.getMappedPort(8080)}`;
});

after(() => container.stop());

test('retries after 503', async () => {
  const response = await get(`${origin}/retry/node?fail=1`);
  assert.equal(response.status, 200);
  const journal = await fetch(`${origin}/journal/node`);
  const { attempts } = await journal.json();
  assert.equal(attempts, 2);
});
