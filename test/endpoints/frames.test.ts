import { differs } from '../_engine.ts';
import { expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import * as h2 from '../_frames.ts';
import { fieldsOf, inClearAndOverTls, untilFrames } from '../protocols/http2/faults/_observed.ts';
import { exchange, GET, LAST } from '../_raw.ts';

/** HEADERS with `:status: 200` from the static table, and END_STREAM. */
const RESPONSE = h2.frame(h2.HEADERS, 5, 1, Buffer.from([0x88]));
const query = (bytes: Buffer): string => `/frames?base64=${bytes.toString('base64url')}`;

inClearAndOverTls(({ ask, running, isSecure }) => {
  test('bytes of the query are the frames', async () => {
    const asking = ask(h2.get(1, query(RESPONSE)));
    await untilFrames(asking, ['HEADERS 1 END']);
    expect(fieldsOf(asking.client)).toEqual([[[':status', '200']]]);
  });

  const goesOn = differs('`/frames`');
  test.skipIf(goesOn)('content is the frames, and nothing else is sent but replies', async () => {
    const frames = [
      h2.frame(h2.GOAWAY, 0, 0, Buffer.concat([h2.uint32(9), h2.uint32(7)])),
      h2.frame(0xfa, 0, 3, Buffer.alloc(40_000)),
    ];
    const asking = ask(h2.get(1, '/delay/0.1'), h2.post(3, '/frames'));
    const content = Buffer.concat(frames);
    for (let at = 0; at < content.length; at += 16_384) {
      const piece = content.subarray(at, at + 16_384);
      const isLast = at + 16_384 >= content.length;
      asking.client.send(h2.frame(h2.DATA, isLast ? h2.END_STREAM : 0, 3, piece));
    }
    const own = (): string[] => asking.frames().filter((text) => !text.startsWith('WINDOW'));
    await until(() => own().length === 2);
    expect(own()).toEqual(['GOAWAY 9 7', '250 3 40000']);
    asking.client.send(h2.get(5, '/get'), h2.frame(h2.PING, 0, 0, Buffer.from('8 bytes.')));
    await until(() => own().length === 3);
    expect(own()[2]).toBe(`PING ACK ${Buffer.from('8 bytes.').toString('hex')}`);
  });

  test.each([query(RESPONSE), '/frames'])('%s on HTTP/1.1: not available', async (path) => {
    const alpn = isSecure ? ['http/1.1'] : undefined;
    const received = await exchange(running().port, GET(path, LAST), alpn);
    expect(received).toContain('HTTP/1.1 400 ');
    expect(received).toContain('/problems/fault-unavailable');
    expect(received).toContain('/frames: HTTP/1.1 has no frames');
  });

  const REFUSED = ['/frames', `${query(RESPONSE)}&base64=AA`, '/frames?base64=*'];
  test.each(REFUSED)('%s: 400', async (path) => {
    const asking = ask(h2.get(1, path));
    await until(() => asking.client.isDone(1));
    expect(fieldsOf(asking.client)[0]?.[0]).toEqual([':status', '400']);
  });
}, '--allow-raw');
