import { expect, test } from 'vitest';
import { everywhere } from '../_everywhere.ts';

/** Width and height, read from where the format has them. */
const sizes: Record<string, (bytes: Buffer) => number[]> = {
  // PNG 11.2.1: the signature, then IHDR.
  png(bytes) {
    expect(bytes.toString('latin1', 0, 8)).toBe('\x89PNG\r\n\x1a\n');
    expect(bytes.toString('latin1', 12, 16)).toBe('IHDR');
    expect(bytes.toString('latin1', bytes.length - 8, bytes.length - 4)).toBe('IEND');
    return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  },
  // ISO 10918-1 B.2.2: SOI … SOF0 … EOI.
  jpeg(bytes) {
    expect(bytes.readUInt16BE(0)).toBe(0xffd8);
    expect(bytes.readUInt16BE(bytes.length - 2)).toBe(0xffd9);
    let at = 2;
    while (bytes.readUInt16BE(at) !== 0xffc0) at += 2 + bytes.readUInt16BE(at + 2);
    return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
  },
  // RFC 9649 2.6: the sizes of a lossless image are 14 bits each, less one.
  webp(bytes) {
    expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect(bytes.toString('latin1', 8, 16)).toBe('WEBPVP8L');
    expect(bytes[20]).toBe(0x2f);
    const bits = bytes.readUInt32LE(21);
    return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
  },
  svg(bytes) {
    const [, width, height] =
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="(\d+)" height="(\d+)"[^]*<\/svg>\n$/.exec(
        bytes.toString(),
      ) ?? [];
    return [Number(width), Number(height)];
  },
};

everywhere(({ client }) => {
  test.each([
    ['png', 'image/png', 'png'],
    ['jpeg', 'image/jpeg', 'jpeg'],
    ['jpg', 'image/jpeg', 'jpeg'],
    ['webp', 'image/webp', 'webp'],
    ['svg', 'image/svg+xml', 'svg'],
  ])('%s is %s of 16 by 16 pixels', async (format, type, kind) => {
    const { status, headers, body } = await client().request(`/image/${format}`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe(type);
    expect(body.length).toBeLessThan(1024);
    expect(sizes[kind]?.(body)).toEqual([16, 16]);
  });

  test.each(['gif', 'PNG', '', '%00', 'constructor'])('%j is no format: 400', async (format) => {
    const { status, headers, body } = await client().request(`/image/${format}`);
    expect(status).toBe(400);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(body.toString()).toContain('is none of png, jpeg, jpg, svg, webp');
  });
});
