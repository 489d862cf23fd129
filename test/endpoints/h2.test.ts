import { describe, expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import { exchange, GET, LAST } from '../_raw.ts';
import { fieldsOf, inClearAndOverTls, type Asking } from '../protocols/http2/faults/_observed.ts';

const ACK = h2.frame(h2.SETTINGS, 1, 0);

/** The parameters of the server's SETTINGS, in order of the frames. */
function settingsOf({ client }: Asking): Record<number, number>[] {
  return client
    .got(h2.SETTINGS)
    .filter(({ flags }) => flags === 0)
    .map(({ payload }) => {
      const settings: Record<number, number> = {};
      for (let at = 0; at < payload.length; at += 6) {
        settings[payload.readUInt16BE(at)] = payload.readUInt32BE(at + 2);
      }
      return settings;
    });
}

function body({ client }: Asking, stream = 1): Record<string, unknown> {
  return JSON.parse(client.content(stream)) as Record<string, unknown>;
}

inClearAndOverTls(({ ask, running, isSecure }) => {
  describe('/h2/settings', () => {
    test('sends SETTINGS, and responds after the acknowledgement', async () => {
      const query =
        'header_table_size=65536&max_concurrent_streams=1&initial_window_size=0&max_frame_size=16385' +
        '&max_header_list_size=4294967295&enable_connect_protocol=1';
      const asking = ask(ACK, h2.get(1, `/h2/settings?${query}`));
      await until(() => settingsOf(asking).length === 2);
      expect(settingsOf(asking)[1]).toEqual({
        1: 65_536,
        3: 1,
        4: 0,
        5: 16_385,
        6: 4_294_967_295,
        8: 1,
      });
      expect(asking.client.got(h2.HEADERS)).toEqual([]);
      asking.client.send(ACK);
      await until(() => asking.client.isDone(1));
      expect(body(asking)).toEqual({
        settings: Object.fromEntries(
          query.split('&').map((pair) => {
            const [name = '', value] = pair.split('=');
            return [name, Number(value)];
          }),
        ),
        acknowledged: true,
        time_ms: expect.toSatisfy((time) => typeof time === 'number' && time >= 0 && time < 10_000),
      });
      // A window of 0 affects only content.
      asking.client.send(h2.get(3, '/get'));
      await until(() => asking.client.isDone(3));
      asking.client.send(h2.post(5, '/post'), h2.frame(h2.DATA, h2.END_STREAM, 5));
      await until(() => asking.client.isDone(5));
    });

    test('/http2 has what is acknowledged', async () => {
      const asking = ask(h2.get(1, '/h2/settings?initial_window_size=262144&timeout=0.05'));
      await until(() => asking.client.isDone(1));
      // Those of the start and those of the request; SETTINGS are acknowledged in order (RFC 9113 6.5.3).
      const windows: unknown[] = [];
      for (const stream of [3, 5]) {
        asking.client.send(ACK, h2.get(stream, '/http2'));
        await until(() => asking.client.isDone(stream));
        const { server_settings: settings } = body(asking, stream)['http2'] as Record<
          string,
          object
        >;
        expect(settings).toMatchObject({ max_frame_size: 16_384, enable_connect_protocol: 0 });
        windows.push((settings as Record<string, number>)['initial_window_size']);
      }
      expect(windows).toEqual([65_535, 262_144]);
    });

    test('/http2 has null for what is not limited before the first acknowledgement', async () => {
      const asking = ask(h2.get(1, '/http2'));
      await until(() => asking.client.isDone(1));
      expect(body(asking)['http2']).toMatchObject({
        server_settings: { max_concurrent_streams: null, max_header_list_size: null },
      });
    });

    test('a larger window than a stream may keep in memory', async () => {
      const asking = ask(ACK, h2.get(1, '/h2/settings?initial_window_size=262145'));
      await until(() => asking.client.isDone(1));
      expect(fieldsOf(asking.client, 1)[0]?.[0]?.[1]).toBe('400');
      expect(body(asking)['detail']).toContain('initial_window_size=262145 exceeds 262144');
    });

    test('a client that does not acknowledge', async () => {
      const asking = ask(ACK, h2.get(1, '/h2/settings?max_concurrent_streams=7&timeout=0.05'));
      await until(() => asking.client.isDone(1));
      expect(body(asking)).toEqual({
        settings: { max_concurrent_streams: 7 },
        acknowledged: false,
        time_ms: null,
      });
    });

    test('many without acknowledgement leave the connection alone', async () => {
      const asking = ask(ACK);
      const ids = Array.from({ length: 20 }, (_, at) => 2 * at + 1);
      asking.client.send(...ids.map((id) => h2.get(id, '/h2/settings?timeout=0.05')));
      await until(() => ids.every((id) => asking.client.isDone(id)));
      const statuses = ids.map((id) => fieldsOf(asking.client, id)[0]?.[0]?.[1]);
      expect(statuses.filter((status) => status === '200')).toHaveLength(8);
      expect(statuses.filter((status) => status === '503')).toHaveLength(12);
      expect(asking.client.goaway()).toBeUndefined();
    });
  });

  describe('/h2/ping', () => {
    test('the round-trip times', async () => {
      const asking = ask(h2.get(1, '/h2/ping?count=3'));
      for (let count = 1; count <= 3; count++) {
        await until(() => asking.client.got(h2.PING).length === count);
        const payload = asking.client.got(h2.PING).at(-1)?.payload;
        asking.client.send(h2.frame(h2.PING, 1, 0, payload));
      }
      await until(() => asking.client.isDone(1));
      const number = expect.any(Number) as number;
      expect(body(asking)).toEqual({ times_ms: [number, number, number] });
    });

    test('a client that does not acknowledge', async () => {
      const asking = ask(h2.get(1, '/h2/ping?count=3&timeout=0.05'));
      await until(() => asking.client.isDone(1));
      expect(body(asking)).toEqual({ times_ms: [null] });
    });

    test('an acknowledgement with other bytes is none', async () => {
      const asking = ask(h2.get(1, '/h2/ping'));
      await until(() => asking.client.got(h2.PING).length === 1);
      asking.client.send(h2.frame(h2.PING, 1, 0, Buffer.alloc(8)));
      await until(() => asking.client.isDone(1));
      expect(body(asking)).toEqual({ times_ms: [null] });
    });

    test('many at once', async () => {
      const asking = ask();
      const ids = Array.from({ length: 30 }, (_, at) => 2 * at + 1);
      asking.client.send(...ids.map((id) => h2.get(id, '/h2/ping?timeout=0.05')));
      await until(() => ids.every((id) => asking.client.isDone(id)));
      expect(asking.client.goaway()).toBeUndefined();
    });
  });

  test.each(['/h2/settings', '/h2/ping'])('%s on HTTP/1.1: 400 says why', async (path) => {
    const alpn = isSecure ? ['http/1.1'] : undefined;
    const received = await exchange(running().port, GET(path, LAST), alpn);
    expect(received).toContain('HTTP/1.1 400 ');
    expect(received).toContain('HTTP/1.1 has neither SETTINGS nor PING');
  });

  test('a client that leaves meanwhile', async () => {
    const asking = ask(h2.get(1, '/h2/settings'), h2.get(3, '/h2/ping'));
    await until(() => asking.client.got(h2.PING).length === 1);
    asking.reset();
    const { connections } = running().service;
    await until(() => connections?.entries().open.every(({ requests }) => requests !== 2) === true);
  });

  const above = (): number =>
    running().service.connections?.entries().transports[isSecure ? 'h2' : 'h2c']?.above_limit ?? 0;

  test('/connections counts streams above the limit', async () => {
    const before = above();
    const asking = ask(ACK, h2.get(1, '/h2/settings?max_concurrent_streams=1&timeout=0.01'));
    await until(() => asking.client.isDone(1));
    asking.client.send(...[3, 5, 7].map((id) => h2.get(id, '/delay/0.05')));
    await until(() => asking.client.isDone(7) || asking.client.reset(7) !== undefined);
    // nghttp2 refuses two, which shows when a stream follows.
    await until(() => asking.client.isDone(3));
    asking.client.send(h2.get(9, '/get'));
    await until(() => above() === before + 2);
    expect([5, 7].map((id) => asking.client.reset(id))).toEqual([7, 7]);
    asking.reset();
  });
}, '--tap');

const SETTINGS = [
  '--max-streams=2',
  '--h2-initial-window-size=0',
  '--h2-max-frame-size=32768',
  '--h2-header-table-size=0',
  '--h2-enable-connect-protocol',
];

inClearAndOverTls(({ ask }) => {
  test('the settings of every connection', async () => {
    const asking = ask(h2.get(1, '/get'));
    await until(() => asking.client.isDone(1));
    expect(settingsOf(asking)).toEqual([
      { 1: 0, 3: 2, 4: 0, 5: 32_768, 6: expect.any(Number) as number, 8: 1 },
    ]);
  });

  test('an extended CONNECT is a request like others', async () => {
    const block = h2.fieldBlock([
      [':method', 'CONNECT'],
      [':protocol', 'websocket'],
      [':scheme', 'http'],
      [':authority', 'x'],
      [':path', '/get'],
    ]);
    const asking = ask(h2.frame(h2.HEADERS, h2.END_HEADERS, 1, block), h2.get(3, '/get'));
    await until(() => asking.client.isDone(3));
    const [[status] = []] = fieldsOf(asking.client, 1);
    expect(status?.[1]).toBe('501');
  });
}, SETTINGS);

inClearAndOverTls(({ ask }) => {
  test('/h2/settings allows the window of --h2-initial-window-size', async () => {
    const asking = ask(ACK, h2.get(1, '/h2/settings?initial_window_size=2147483647'));
    await until(() => settingsOf(asking).length === 2);
    expect(settingsOf(asking)[1]).toEqual({ 4: 2 ** 31 - 1 });
    asking.reset();
  });
}, '--h2-initial-window-size=2147483647');
