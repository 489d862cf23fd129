import { describe, expect, test } from 'vitest';
import { endpoint } from '../../src/server/endpoint.ts';
import { textStream } from '../../src/server/payload.ts';
import { reply } from '../../src/server/reply.ts';
import { sharedAdapters, unchanged } from '../_adapters.ts';
import { isHttp2, openClient, transports } from '../_client.ts';
import { Stream } from '../_stream.ts';
import { CountingSource } from './_counted.ts';

const MiB = 1024 ** 2;

describe.each(transports)('over %s', (transport) => {
  /** More than twice what the kernel takes of a connection, or HTTP/2's windows allow. */
  const length = (isHttp2(transport) ? 8 : 32) * MiB;
  /** The payloads of /counted, in the order of their requests. */
  const payloads: CountingSource[] = [];
  let pacedStarts = 0;

  const counted = endpoint({
    path: '/counted',
    group: 'content',
    summary: 'Counted.',
    responses: {},
    handle() {
      const payload = new CountingSource(length);
      payloads.push(payload);
      return reply('application/octet-stream', payload);
    },
  });
  const ticking = endpoint({
    path: '/ticking',
    group: 'timing',
    summary: 'Counts its starts.',
    responses: {},
    handle: () =>
      reply(
        'application/octet-stream',
        textStream(async function* texts() {
          pacedStarts++;
          yield 'tick';
        }),
      ),
  });

  const adapters = sharedAdapters({}, [counted, ticking]);

  const last = (): CountingSource => {
    const payload = payloads.at(-1);
    if (!payload) throw new Error('there is no payload');
    return payload;
  };

  test('HEAD reads no payload', async () => {
    const client = openClient(transport, adapters().port);
    const { headers } = await client.request('/counted', { method: 'HEAD' });
    expect(headers['content-length']).toBe(String(length));
    expect((await client.request('/ticking', { method: 'HEAD' })).status).toBe(200);
    expect([last().taken, pacedStarts]).toEqual([0, 0]);
    expect((await client.request('/ticking')).body.toString()).toBe('tick');
    expect(pacedStarts).toBe(1);
  });

  test('a client that pauses pauses the payload, and gets all of it in the end', async () => {
    const stream = new Stream(transport, adapters().port, '/counted');
    await stream.began;
    stream.pause();
    // Until the buffers of both sockets are full.
    const taken = await unchanged(() => last().taken);
    expect(taken).toBeLessThan(length / 2);
    stream.resume();
    await stream.ended;
    stream.close();
    expect(last().taken).toBe(length);
    expect(stream.arrivals.reduce((sum, arrival) => sum + arrival.length, 0)).toBe(length);
  });
});
