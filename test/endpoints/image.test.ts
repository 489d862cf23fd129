import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';
import { expectRefused } from '../_refusal.ts';

/** Width and height, read from the image data. */
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
  // RFC 9649 2.6: the sizes of a lossless image are 14 bits each, minus one.
  webp(bytes) {
    expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect(bytes.toString('latin1', 8, 16)).toBe('WEBPVP8L');
    expect(bytes[20]).toBe(0x2f);
    const bits = bytes.readUInt32LE(21);
    return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
  },
  // ISO 23008-12 6.5.3: the sizes of the single item are in its ispe property.
  avif(bytes) {
    expect(bytes.toString('latin1', 4, 12)).toBe('ftypavif');
    const ispe = bytes.indexOf('ispe');
    expect(bytes.indexOf('ispe', ispe + 1)).toBe(-1);
    return [bytes.readUInt32BE(ispe + 8), bytes.readUInt32BE(ispe + 12)];
  },
  svg(bytes) {
    const [, width, height] =
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="(\d+)" height="(\d+)"[^]*<\/svg>\n$/.exec(
        bytes.toString(),
      ) ?? [];
    return [Number(width), Number(height)];
  },
};

overOneProtocol(({ client }) => {
  test.each([
    ['png', 'image/png', 'png'],
    ['jpeg', 'image/jpeg', 'jpeg'],
    ['jpg', 'image/jpeg', 'jpeg'],
    ['webp', 'image/webp', 'webp'],
    ['svg', 'image/svg+xml', 'svg'],
  ])('%s is %s of 16x16 pixels', async (format, type, kind) => {
    const { status, headers, body } = await client().request(`/image/${format}`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe(type);
    expect(body.length).toBeLessThan(1024);
    expect(sizes[kind]?.(body)).toEqual([16, 16]);
  });

  test.each(['gif', 'PNG', '', '%00', 'constructor'])('%j is not a format: 400', async (format) => {
    await expectRefused(client(), `/image/${format}`, / is not one of png, jpeg, jpg, svg, webp$/);
  });

  test.each([
    [undefined, 'image/png', 'png'],
    ['', 'image/png', 'png'],
    ['*/*', 'image/png', 'png'],
    ['image/*', 'image/png', 'png'],
    ['text/html, image/*;q=0.5, image/avif', 'image/avif', 'avif'],
    ['image/avif;q=0.8, image/webp;q=0.9', 'image/webp', 'webp'],
    ['image/png;q=0, image/*', 'image/webp', 'webp'],
    ['IMAGE/JPEG', 'image/jpeg', 'jpeg'],
    ['image/svg+xml', 'image/svg+xml', 'svg'],
  ])('RFC 9110 12.5.1: /image for Accept: %s is %s', async (accept, type, kind) => {
    const { status, headers, body } = await client().request('/image', {
      headers: accept === undefined ? {} : { accept },
    });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': type, vary: 'Accept' });
    expect(body.length).toBeLessThan(1024);
    expect(sizes[kind]?.(body)).toEqual([16, 16]);
  });

  const OTHER_TYPES = ['image/jpg', 'image/svg', 'text/html', '*/*;q=0'];
  test.each(OTHER_TYPES)('RFC 9110 15.5.7: /image for Accept: %s is 406', async (accept) => {
    const { status, headers, body } = await client().request('/image', { headers: { accept } });
    expect(status).toBe(406);
    expect(headers).toMatchObject({ 'content-type': 'application/problem+json', vary: 'Accept' });
    expect(body.toString()).toContain('image/png, image/webp, image/avif');
  });

  test('AVIF is served by /image only', async () => {
    expect((await client().request('/image/avif')).status).toBe(400);
  });
});
