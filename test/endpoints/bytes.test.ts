import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { openClient } from '../_client.ts';
import { overOneProtocol } from '../_everywhere.ts';
import { GET, LAST, openSocket } from '../_raw.ts';

const MAX = 10 * 1024 * 1024;

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

overOneProtocol(({ client, transport, running }) => {
  test.each([0, 1, 16_384, 16_385, 65_536, 65_537, 1_000_000])('%d bytes', async (n) => {
    const { status, headers, body } = await client().request(`/bytes/${n}`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/octet-stream');
    expect(headers['content-length']).toBe(String(n));
    expect(headers['transfer-encoding']).toBeUndefined();
    expect(body).toHaveLength(n);
  });

  test('no two responses share bytes, whatever their length', async () => {
    const seen = new Set<string>();
    let pieces = 0;
    const lengths = [64, 1008, 64, 16_384, 20_000, 64, 16_384, 16_384, 16_384, 200_000, 64, 64];
    for (const length of [...lengths, ...lengths]) {
      const { body } = await client().request(`/bytes/${length}`);
      for (let at = 0; at + 16 <= length; at += 16) {
        pieces++;
        seen.add(body.toString('latin1', at, at + 16));
      }
    }
    expect(seen.size).toBe(pieces);
  });

  test('nor do concurrent responses, one of them read late: memory is reused only after it was sent', async () => {
    const { port } = running();
    const late = await openSocket(port);
    late.write(GET(`/bytes/${MAX}`, LAST));
    const clients = Array.from({ length: 4 }, () => openClient(transport, port));
    const requests = [...clients, ...clients, ...clients].map(async (each) => {
      const { body } = await each.request('/bytes/700000');
      return body;
    });
    const bodies = await Promise.all(requests);
    const chunks: Buffer[] = [];
    for await (const chunk of late) chunks.push(chunk);
    const response = Buffer.concat(chunks);
    bodies.push(response.subarray(response.indexOf('\r\n\r\n') + 4));
    const samples = bodies.flatMap((body) =>
      Array.from({ length: Math.floor(body.length / 4096) }, (_, at) =>
        body.toString('latin1', at * 4096, at * 4096 + 16),
      ),
    );
    expect(bodies.at(-1)).toHaveLength(MAX);
    expect(new Set(samples).size).toBe(samples.length);
  });

  test('bytes are uniformly distributed', async () => {
    const { body } = await client().request('/bytes/1048576');
    const counts = Array.from({ length: 256 }, () => 0);
    for (const byte of body) counts[byte] = (counts[byte] ?? 0) + 1;
    // 4096 of each are expected, standard deviation 64.
    for (const count of counts) expect(Math.abs(count - 4096)).toBeLessThan(6 * 64);
  });

  test('with a seed every byte depends only on seed and position', async () => {
    const long = await client().request('/bytes/1000000?seed=42');
    expect(sha256(long.body)).toBe(
      '8adef56affabb96a0db36f8299fd25d1af5166179e90add53192017df3262239',
    );
    for (const n of [0, 1, 17, 16_385, 65_537]) {
      const { body } = await client().request(`/bytes/${n}?seed=42`);
      expect(body.equals(long.body.subarray(0, n))).toBe(true);
    }
  });

  test('with a seed: a range from any position', async () => {
    const whole = await client().request('/bytes/100000?seed=42');
    expect(whole.headers).toMatchObject({ etag: '"bytes-100000-42"', 'accept-ranges': 'bytes' });
    for (const [first, last] of [
      [0, 0],
      [15, 16],
      [16, 16],
      [4097, 99_999],
      [70_001, 99_998],
    ] as const) {
      const { status, headers, body } = await client().request('/bytes/100000?seed=42', {
        headers: { range: `bytes=${first}-${last}`, 'if-range': '"bytes-100000-42"' },
      });
      expect(status).toBe(206);
      expect(headers['content-range']).toBe(`bytes ${first}-${last}/100000`);
      expect(body.equals(whole.body.subarray(first, last + 1))).toBe(true);
    }
  });

  test('without a seed Range is ignored', async () => {
    const { status, headers, body } = await client().request('/bytes/100', {
      headers: { range: 'bytes=0-9' },
    });
    expect([status, body.length]).toEqual([200, 100]);
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('accept-ranges');
  });

  test('10 MiB', async () => {
    const { body } = await client().request(`/bytes/${MAX}`);
    expect(body).toHaveLength(MAX);
  });
});
