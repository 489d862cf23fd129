import { describe, expect, test } from 'vitest';
import {
  Flag,
  frame,
  FrameType,
  MAX_STREAM,
  SettingId,
  uint32,
} from '../../../src/wire/http2/frame.ts';
import { HpackEncoder } from '../../../src/wire/http2/hpack-encoder.ts';
import { StreamState } from '../../../src/wire/http2/stream-state.ts';
import { alone, exchange, frameLines, framesOf, GET, joined, POST, Side } from './_side.ts';

const OK = [':status', '200'];

test('a request and its response', () => {
  const { client, server } = joined();
  const stream = client.connection.open(POST, false, 'request');
  client.connection.send(stream, Buffer.from('ab'), false);
  client.connection.send(stream, 'cd', true);
  server.react = (event, { id }) => {
    const own = server.streams.get(id);
    if (event !== 'end 1' || !own) return;
    server.connection.sendHeaders(own, OK, false);
    server.connection.send(own, 'ef', true);
  };
  exchange(client, server);
  expect(server.events).toEqual(['head 1 :method=POST :scheme=http :path=/ :authority=a', 'end 1']);
  expect(server.received(1)).toBe('abcd');
  expect(client.events).toEqual(['head 1 :status=200', 'end 1']);
  expect(client.received(1)).toBe('ef');
  expect(client.streams.get(1)?.owner).toBe('request');
  expect([client.connection.streamCount, server.connection.streamCount]).toEqual([0, 0]);
});

test('interim responses, trailers both ways, and what is not sent after the end', () => {
  const { client, server } = joined();
  const stream = client.connection.open(POST, false, '');
  client.connection.send(stream, 'a', false);
  client.connection.sendTrailers(stream, ['x-a', '1']);
  expect(client.connection.send(stream, 'late', true)).toBe(false);
  server.react = (event, own) => {
    if (!event.startsWith('end')) return;
    server.connection.sendHeaders(own, [':status', '103', 'link', 'b'], false);
    server.connection.sendHeaders(own, OK, false);
    server.connection.send(own, '', false);
    server.connection.sendTrailers(own, ['x-b', '2']);
    expect(server.connection.sendHeaders(own, OK, false)).toBe(false);
  };
  exchange(client, server);
  expect(server.events).toEqual([
    expect.stringContaining('head 1'),
    'trailers 1 x-a=1 end',
    'end 1',
  ]);
  expect(client.events).toEqual([
    'interim 1 :status=103 link=b',
    'head 1 :status=200',
    'trailers 1 x-b=2 end',
    'end 1',
  ]);
});

test('a field block that needs CONTINUATION, and one that was encoded before', () => {
  const { client, server } = joined();
  const long = 'x'.repeat(40_000);
  client.connection.open([...GET, 'x-long', long], true, '');
  client.connection.open(new HpackEncoder({ maxTableSize: 0 }).encode(GET), true, '');
  const bytes = client.take();
  expect(framesOf(bytes).map(({ type }) => type)).toEqual([1, 9, 9, 1]);
  server.connection.receive(bytes);
  expect(server.events[0]).toContain(long);
  expect(server.events[2]).toBe('head 3 :method=GET :scheme=http :path=/ :authority=a end');
});

test('frames of one piece are answered together', () => {
  const server = alone('server');
  const ping = frame(FrameType.ping, 0, 0, Buffer.from('12345678'));
  server.connection.receive(Buffer.concat([ping, frame(FrameType.settings, 0, 0), ping]));
  expect(frameLines(server.take())).toEqual([
    'PING 0 1 3132333435363738',
    'SETTINGS 0 1',
    'PING 0 1 3132333435363738',
  ]);
  expect(server.connection.takeOutput(1)).toEqual([]);
  const { ping: PING, settings: SETTINGS } = FrameType;
  expect(server.types.slice(-3)).toEqual([PING, SETTINGS, PING]);
});

test('bytes that were taken stay as they are if they are to be kept', () => {
  const { client } = joined();
  client.connection.ping(Buffer.from('aaaaaaaa'));
  const [taken] = client.connection.takeOutput(1);
  client.connection.keepTaken();
  client.connection.ping(Buffer.from('bbbbbbbb'));
  expect(String(Buffer.from(taken ?? []).subarray(9))).toBe('aaaaaaaa');
});

describe('settings', () => {
  test('a client sends its preface, then SETTINGS, then credit for the connection', () => {
    const client = new Side('client', {
      settings: [{ id: SettingId.initialWindowSize, value: 100_000 }],
      window: 65_536,
    });
    const bytes = client.take();
    expect(bytes.toString('latin1', 0, 24)).toBe('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    expect(frameLines(bytes)).toEqual([
      'SETTINGS 0 0 0002000000000004000186a0',
      'WINDOW_UPDATE 0 0 00000001',
    ]);
  });

  test('may come at any time, and are acknowledged in order', () => {
    const { client, server } = joined();
    client.connection.changeSettings([{ id: SettingId.headerTableSize, value: 0 }]);
    client.connection.changeSettings([{ id: SettingId.headerTableSize, value: 100 }]);
    server.connection.changeSettings([{ id: SettingId.enableConnectProtocol, value: 1 }]);
    exchange(client, server);
    expect(server.events).toEqual(['settings 1:0', 'settings 1:100']);
    expect(client.connection.peer.enableConnectProtocol).toBe(true);
    client.connection.open(GET, true, '');
    server.react = (_, own) => void server.connection.sendHeaders(own, [...OK, 'x-a', 'b'], true);
    exchange(client, server);
    expect(client.events.at(-1)).toBe('end 1');
  });

  test('limit the streams of a client, and a server refuses those above', () => {
    const { client, server } = joined(
      {},
      { settings: [{ id: SettingId.maxConcurrentStreams, value: 2 }] },
    );
    expect(client.connection.canOpen).toBe(true);
    for (let count = 0; count < 2; count++) client.connection.open(POST, false, '');
    expect(client.connection.canOpen).toBe(false);
    const third = client.connection.open(POST, false, '');
    client.connection.send(third, 'too many', true);
    exchange(client, server);
    expect(client.events).toEqual(['reset 5 7']);
    expect(server.events.map((event) => event.slice(0, 6))).toEqual(['head 1', 'head 3']);
    expect(server.violation).toBeUndefined();
    client.connection.reset(third, 8);
    expect(client.take()).toHaveLength(0);
  });

  test('a smaller window and frame apply to the peer once it has acknowledged them', () => {
    const server = alone('server');
    server.connection.changeSettings([{ id: SettingId.initialWindowSize, value: 2 }]);
    const headers = frame(FrameType.headers, Flag.endHeaders, 1, new HpackEncoder().encode(POST));
    const data = frame(FrameType.data, 0, 1, Buffer.from('abc'));
    server.connection.receive(Buffer.concat([headers, data]));
    expect(server.received(1)).toBe('abc');
    server.connection.receive(Buffer.concat([frame(FrameType.settings, Flag.ack, 0), data]));
    // The first frame has been consumed, but less than half of the window was returned before.
    expect(server.events.at(-1)).toBe('reset 1 3 RFC 9113 6.9.1');
  });

  test('a larger window applies at once', () => {
    const server = alone('server');
    server.consumes = false;
    server.connection.changeSettings([{ id: SettingId.initialWindowSize, value: 65_536 }]);
    const headers = frame(FrameType.headers, Flag.endHeaders, 1, new HpackEncoder().encode(POST));
    server.connection.receive(headers);
    for (let count = 0; count < 3; count++) {
      server.connection.receive(frame(FrameType.data, 0, 1, Buffer.alloc(16_384)));
    }
    expect(server.violation).toBeUndefined();
  });
});

describe('the end of a stream', () => {
  test('RST_STREAM, and what the peer sends before it knows', () => {
    const { client, server } = joined();
    const stream = client.connection.open(POST, false, '');
    exchange(client, server);
    client.connection.reset(stream, 8);
    const own = server.streams.get(1);
    if (!own) throw new Error('no stream');
    server.connection.sendHeaders(own, OK, false);
    server.connection.send(own, 'a', true);
    exchange(client, server);
    expect(server.events.at(-1)).toBe('reset 1 8');
    expect(client.events).toEqual([]);
    expect(server.connection.send(own, 'b', true)).toBe(false);
    expect([client.connection.streamCount, server.connection.streamCount]).toEqual([0, 0]);
  });

  test('no event follows when the owner resets a stream in an event', () => {
    const { client, server } = joined();
    server.react = (event, own) => event.startsWith('head') && server.connection.reset(own, 8);
    client.connection.open(GET, true, '');
    exchange(client, server);
    expect(server.events).toEqual([expect.stringMatching(/^head 1/)]);
    expect(client.events).toEqual(['reset 1 8']);
  });

  test('content on a stream that the peer has reset is a stream error (RFC 9113 5.1)', () => {
    const server = alone('server');
    const headers = frame(FrameType.headers, Flag.endHeaders, 1, new HpackEncoder().encode(POST));
    const reset = frame(FrameType.rstStream, 0, 1, uint32(8));
    server.connection.receive(
      Buffer.concat([headers, reset, frame(FrameType.data, 0, 1, Buffer.from('a'))]),
    );
    expect(frameLines(server.take())).toEqual(['RST_STREAM 1 0 00000005']);
    expect(server.violation).toBeUndefined();
  });
});

describe('GOAWAY', () => {
  test('of a server refuses the streams above, and lets others end', () => {
    const { client, server } = joined();
    client.connection.open(GET, true, '');
    exchange(client, server);
    client.connection.open(GET, true, '');
    server.connection.goAway(0);
    exchange(client, server);
    expect(client.events).toEqual(['goaway 1 0', 'reset 3 7']);
    expect(server.events.some((event) => event.includes('head 3'))).toBe(false);
    expect([client.connection.isFinishing, client.connection.canOpen]).toEqual([true, false]);
    const own = server.streams.get(1);
    if (own) server.connection.sendHeaders(own, OK, true);
    exchange(client, server);
    expect(client.events.slice(2)).toEqual(['head 1 :status=200 end', 'end 1']);
    expect([client.connection.streamCount, server.connection.streamCount]).toEqual([0, 0]);
  });

  test('may announce the end first, and refuse later (RFC 9113 6.8)', () => {
    const { client, server } = joined();
    server.connection.goAway(0, MAX_STREAM);
    client.connection.open(GET, true, '');
    exchange(client, server);
    expect(server.events).toContain('end 1');
    expect(client.events).toEqual([`goaway ${MAX_STREAM} 0`]);
    server.connection.goAway(0);
    exchange(client, server);
    expect(client.events.at(-1)).toBe('goaway 1 0');
  });

  test('that names a higher stream than before serves none above the lower one', () => {
    const { client, server } = joined();
    server.connection.goAway(0, 0);
    server.connection.goAway(0, MAX_STREAM);
    client.connection.open(GET, true, '');
    exchange(client, server);
    expect(server.events).toEqual([]);
  });

  test('of a client lets its own streams go on', () => {
    const { client, server } = joined();
    client.connection.open(GET, true, '');
    client.connection.goAway(0);
    server.react = (event, own) =>
      event === 'end 1' && server.connection.sendHeaders(own, OK, true);
    exchange(client, server);
    expect(server.events).toContain('goaway 0 0');
    expect(client.events.at(-1)).toBe('end 1');
  });
});

test('PING and frames of unknown types are reported, and priorities have no effect', () => {
  const { client, server } = joined();
  client.connection.ping(Buffer.from('12345678'));
  exchange(client, server);
  expect(client.events).toEqual(['pong 12345678']);
  const side = alone('server');
  const priority = Buffer.concat([uint32(0x8000_0007), Buffer.of(15)]);
  const block = Buffer.concat([
    Buffer.of(1),
    priority,
    new HpackEncoder().encode(GET),
    Buffer.of(0),
  ]);
  side.connection.receive(
    Buffer.concat([
      frame(FrameType.priority, 0, 5, priority),
      frame(0xbb, 0xff, 77, Buffer.alloc(5)),
      frame(
        FrameType.headers,
        Flag.endHeaders | Flag.endStream | Flag.padded | Flag.priority,
        1,
        block,
      ),
    ]),
  );
  expect(side.events[0]).toBe('unknown 187 77 5');
  expect(side.events[1]).toMatch(/^head 1 /);
  expect(side.streams.get(1)?.state).toBe(StreamState.halfClosedRemote);
});

test('fields above the limit are counted', () => {
  const { client, server } = joined({}, { maxListSize: 200 });
  client.connection.open([...GET, 'x-a', 'b'.repeat(200)], true, '');
  exchange(client, server);
  expect(server.events[0]).toBe('head 1 :method=GET :scheme=http :path=/ :authority=a end');
});
