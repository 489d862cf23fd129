// HTTPS and HTTP/2 with a certificate that the client trusts: node --test docs/examples/
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get } from 'node:https';
import { connect } from 'node:http2';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { createService } from 'wirebin';

let service;
before(async () => {
  service = await createService();
});
after(() => service.close());

test('an agent with keepAlive uses one connection', async (t) => {
  const agent = new Agent({ keepAlive: true, ca: service.certificate });
  t.after(() => agent.destroy());
  const connections = new Set();
  for (const name of ['one', 'two', 'three']) {
    const [response] = await once(
      get(`${service.httpsOrigin}/anything/${name}`, { agent }),
      'response',
    );
    const { conn, tls } = await json(response);
    connections.add(conn.id);
    assert.equal(tls.version, 'TLSv1.3');
  }
  assert.equal(connections.size, 1);
});

test('streams of a session share its connection', async (t) => {
  const session = connect(service.httpsOrigin, { ca: service.certificate });
  t.after(() => session.close());
  const echoes = await Promise.all(
    [1, 2, 3].map((n) => json(session.request({ ':path': `/anything/${n}` }).end())),
  );
  assert.deepEqual(
    echoes.map(({ conn }) => conn.protocol),
    ['h2', 'h2', 'h2'],
  );
  assert.equal(new Set(echoes.map(({ conn }) => conn.id)).size, 1);
});
