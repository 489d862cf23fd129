import { setTimeout as pause } from 'node:timers/promises';
import { Duplex } from 'node:stream';
import { connect } from 'node:net';
import tls from 'node:tls';
import { describe, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { openClient } from '../_client.ts';
import { parsed } from '../_echo.ts';
import { everywhere, sharedPlace } from '../_everywhere.ts';
import * as h2 from '../_frames.ts';
import { openSocket } from '../_raw.ts';
import { startService } from '../_service.ts';
import { ask } from '../_walk.ts';
import { fingerprints, preface } from '../net/_client-prefaces.ts';

type View = Record<string, unknown>;

everywhere(({ client, running, transport }) => {
  if (transport.endsWith('1.1')) {
    test('has a reason if there are no details', async () => {
      expect(parsed(await client().request('/http2'))).toEqual({
        http2: null,
        reason: 'the request uses HTTP/1.1',
      });
    });
    return;
  }

  test("shows the client's first frames and the current state", async () => {
    const priority = 'u=1, i';
    const { port } = running();
    const { http2 } = parsed(await ask(transport, port, '/http2', { headers: { priority } }));
    expect(http2).toMatchObject({
      akamai_fingerprint: expect.stringMatching(/\|[mpas](,[mpas]){3}$/),
      akamai_fingerprint_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      first_flight: { frames: [{ type: 'SETTINGS', flags: '0x00', stream: 0 }, {}] },
      pseudo_headers: expect.arrayContaining([':method', ':scheme', ':authority', ':path']),
      priority,
      stream: 1,
      open_streams: 1,
      windows: {
        connection: { to_client: 65_535, to_server: 65_535 },
        stream: { initial_to_client: 65_535, to_server: 65_535 },
      },
    });
  });

  test('the echo has the fingerprint', async () => {
    const own = openClient(transport, running().port);
    const details = parsed(await own.request('/http2'))['http2'] as View;
    const echo = parsed(await own.request('/anything'))['http2'] as View;
    expect(Object.keys(echo)).toEqual([
      'akamai_fingerprint',
      'akamai_fingerprint_hash',
      'first_flight',
    ]);
    expect(echo['first_flight']).toEqual({ complete: true });
    expect(details).toMatchObject(echo);
  });
});

describe.each([
  ['over cleartext', undefined],
  ['over TLS', ['h2']],
])('first flights of real clients %s', (_, alpn) => {
  const { running } = sharedPlace('http/1.1');

  /** The details of a client that writes these bytes, and the rest once the server responds. */
  async function detailsOf(
    first: Buffer,
    goOn?: (client: h2.FrameClient) => Promise<void>,
  ): Promise<View> {
    const client = new h2.FrameClient(await openSocket(running().port, alpn), first);
    await goOn?.(client);
    const stream = (): number => client.got(h2.DATA)[0]?.stream ?? 0;
    await until(() => client.isDone(stream()), 'the answer');
    client.socket.destroy();
    return (JSON.parse(client.content(stream())) as { http2: View }).http2;
  }

  test.each(fingerprints)('%s, in one write', async (name, text, hash) => {
    const details = await detailsOf(preface(name));
    expect(details).toMatchObject({
      akamai_fingerprint: text,
      akamai_fingerprint_hash: hash,
      first_flight: { complete: true },
    });
    const settings = details['settings'] as { id: string; value: number }[];
    expect(settings.map(({ id, value }) => `${Number(id)}:${value}`).join(';')).toBe(
      text.split('|')[0],
    );
  });

  test.each(fingerprints)('%s, waiting for the SETTINGS of the server', async (name, text) => {
    const [first = Buffer.alloc(0), ...rest] = framesIn(preface(name));
    const details = await detailsOf(first, async (client) => {
      await until(() => client.got(h2.SETTINGS).length > 0);
      client.send(h2.frame(h2.SETTINGS, h2.ACK, 0), ...rest);
    });
    expect(details).toMatchObject({ akamai_fingerprint: text, first_flight: { complete: true } });
    expect(details['first_flight']).toMatchObject({ frames: { length: rest.length + 2 } });
  });

  // Chromium writes SETTINGS and WINDOW_UPDATE first; curl sends HEADERS in a separate TLS record.
  test.each(fingerprints)('%s, all but SETTINGS some milliseconds later', async (name, text) => {
    const [first = Buffer.alloc(0), ...rest] = framesIn(preface(name));
    const details = await detailsOf(first, async (client) => {
      await pause(3);
      client.send(...rest);
    });
    expect(details).toMatchObject({ akamai_fingerprint: text, first_flight: { complete: true } });
    expect(details['first_flight']).toMatchObject({ frames: { length: rest.length + 1 } });
  });

  test('the echo says that PRIORITY frames may be missing, and why', async () => {
    const client = new h2.FrameClient(await openSocket(running().port, alpn));
    client.send(...Array.from({ length: 40 }, () => priorityFrame(3, 201)));
    await pause(5);
    client.send(priorityFrame(7, 1), h2.get(5, '/anything'));
    await until(() => client.isDone(5));
    const { http2: view } = JSON.parse(client.content(5)) as { http2: View };
    expect(view['akamai_fingerprint']).toMatch(/^\|00\|(3:0:0:201,?){35}\|m,s,a,p$/);
    expect(view['first_flight']).toEqual({
      complete: false,
      reason: 'the frames before the first HEADERS exceed 512 bytes',
    });
  });

  test('one byte at a time', async () => {
    const [, text] = fingerprints.find(([name]) => name === 'go') ?? [];
    const bytes = preface('go');
    const details = await detailsOf(bytes.subarray(0, 1), async (client) => {
      for (const byte of bytes.subarray(1)) {
        await pause(2);
        client.send(Buffer.from([byte]));
      }
    });
    expect(details['akamai_fingerprint']).toBe(text);
  });

  test('PRIORITY frames, and the priority of HEADERS', async () => {
    const { first_flight: seen } = (await detailsOf(preface('nghttp'))) as {
      first_flight: { frames: View[] };
    };
    expect(seen.frames).toHaveLength(7);
    expect(seen.frames[4]).toEqual({
      type: 'PRIORITY',
      flags: '0x00',
      stream: 9,
      length: 5,
      exclusive: false,
      depends_on: 7,
      weight: 1,
    });
    expect(seen.frames[6]).toMatchObject({
      type: 'HEADERS',
      stream: 13,
      depends_on: 11,
      weight: 16,
    });
  });

  test('shows names of settings and frames, and numbers of unknown ones', async () => {
    const settings = Buffer.from([0, 9, 0, 0, 0, 1, 0x5a, 0x7a, 0, 0, 0, 5]);
    const details = await detailsOf(
      Buffer.concat([
        h2.PREFACE,
        h2.frame(h2.SETTINGS, 0, 0, settings),
        h2.frame(0x10, 0, 0, Buffer.concat([h2.uint32(1), Buffer.from('u=0')])),
        h2.frame(0xb5, 0, 0, Buffer.from('?')),
        h2.get(1, '/http2'),
      ]),
    );
    expect(details).toMatchObject({
      settings: [
        { name: 'NO_RFC7540_PRIORITIES', id: '0x0009', value: 1 },
        { name: '0x5A7A', id: '0x5A7A', value: 5 },
      ],
      window_update: 0,
      first_flight: {
        complete: true,
        frames: [
          { type: 'SETTINGS' },
          { type: 'PRIORITY_UPDATE', prioritized_stream: 1, priority: 'u=0' },
          { type: '0xB5', length: 1 },
          { type: 'HEADERS', stream: 1 },
        ],
      },
      pseudo_headers: [':method', ':scheme', ':authority', ':path'],
      priority: null,
    });
  });

  test('a second request with another order of pseudo-header fields', async () => {
    const client = new h2.FrameClient(await openSocket(running().port, alpn), preface('curl'));
    const block = h2.fieldBlock([
      [':path', '/http2'],
      [':authority', 'x'],
      [':scheme', 'http'],
      [':method', 'GET'],
    ]);
    client.send(h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 3, block));
    await until(() => client.isDone(1) && client.isDone(3));
    const of = (stream: number): unknown =>
      (JSON.parse(client.content(stream)) as { http2: View }).http2['akamai_fingerprint'];
    expect(of(1)).toBe('3:100;4:33554432;2:0|33488897|0|m,p,s,a');
    expect(of(3)).toBe('3:100;4:33554432;2:0|33488897|0|p,a,s,m');
  });
});

test('several TLS records in one segment are one flight', async () => {
  const { port } = await startService();
  const clear = connect({ port, host: '127.0.0.1' });
  let held: Buffer[] | undefined;
  const gate = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      if (held) held.push(chunk);
      else clear.write(chunk);
      done();
    },
    final: (done) => clear.end(done),
  });
  clear.on('data', (chunk: Buffer) => gate.push(chunk)).on('end', () => gate.push(null));
  const socket = tls.connect({ socket: gate, ALPNProtocols: ['h2'], rejectUnauthorized: false });
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  await pause(20);
  held = [];
  const client = new h2.FrameClient(socket, h2.PREFACE);
  // One TLS record each: at HEADERS the session takes over while the rest is still in the TLS layer.
  for (const frame of [
    h2.frame(h2.SETTINGS, 0, 0),
    h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(1000)),
    h2.get(1, '/http2'),
    h2.post(3, '/anything'),
    h2.frame(h2.DATA, 0, 3, Buffer.from('ab')),
    h2.frame(h2.DATA, h2.END_STREAM, 3, Buffer.from('cd')),
  ]) {
    await pause(5);
    client.send(frame);
  }
  await pause(5);
  expect(held.length).toBeGreaterThan(5);
  clear.write(Buffer.concat(held));
  held = undefined;
  await until(() => client.isDone(1) && client.isDone(3));
  expect(JSON.parse(client.content(1))).toMatchObject({
    http2: { akamai_fingerprint: '|1000|0|m,s,a,p', first_flight: { complete: true } },
  });
  expect(JSON.parse(client.content(3))).toMatchObject({ body: 'abcd' });
});

/** Preface with the first frame, then each frame up to HEADERS, then the rest. */
function framesIn(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  let from = 0;
  let end = h2.PREFACE.length;
  while (bytes[end + 3] !== h2.HEADERS) {
    end += 9 + bytes.readUIntBE(end, 3);
    frames.push(bytes.subarray(from, end));
    from = end;
  }
  return [...frames, bytes.subarray(from)];
}

function priorityFrame(stream: number, weight: number): Buffer {
  return h2.frame(h2.PRIORITY, 0, stream, Buffer.from([0, 0, 0, 0, weight - 1]));
}
