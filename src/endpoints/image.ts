import { endpoint } from '../http/endpoint.ts';
import { oneOf } from '../http/params.ts';
import { reply, type Reply } from '../http/reply.ts';

// The same 16 by 16 pixels in each format: a bin with its lid.
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQAgMAAABinRfyAAAADFBMVEX///+/2/4lY+sfKTdja6dHAAAAJElE' +
    'QVR42mNgQAD+DwwM/P//f2CCizAzLnP/zMTAwMCAn0AAAFdUBfG9UyKDAAAAAElFTkSuQmCC',
  'base64',
);
const JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4n' +
    'ICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/2wBDAQkJCQwLDBgNDRgyIRwhMjIyMjIyMjIyMjIyMjIyMjIy' +
    'MjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjL/wAARCAAQABADASIAAhEBAxEB/8QAFgABAQEAAAAA' +
    'AAAAAAAAAAAAAAQG/8QAIRAAAQQBBAMBAAAAAAAAAAAAAgEDBAUGABExQRITIWH/xAAVAQEBAAAAAAAAAAAA' +
    'AAAAAAAEBf/EACARAAEDAgcAAAAAAAAAAAAAABESEzEAIQEDBBQiceH/2gAMAwEAAhEDEQA/AN/mlvl0Gwdi' +
    'V1pQ18Z4FcjOvNPHIQQFCcVdgIOi64/dMLt8unWDUSxtKGwjMgjkl1lp4JCiYqTapuAh2PXH7qzNaGyt7KE7' +
    'Bje0G4sps18xHYjbVBT6qcrphVDZVFlNdnRvUDkWM2C+YluQNohJ8VeF1QY0+2WrkIOEkdxejOZjqRbyv//Z',
  'base64',
);
const WEBP = Buffer.from(
  'UklGRk4AAABXRUJQVlA4TEIAAAAvD8ADAB8gFEC8gsh/5JKGkIBodprqGYFAwrX3fs1/vIUGBkWRpDjDF1VI' +
    '5Y0pZCAgXHAQ0f8JYHfFI7QBWJb8YQU=',
  'base64',
);
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">
  <path fill="#fff" d="M0 0h16v16H0z"/>
  <path fill="#1f2937" d="M6 2h4v1h4v2H2V3h4z"/>
  <path fill="#2563eb" d="M3 6h10v8H3z"/>
</svg>
`;

const jpeg = reply('image/jpeg', JPEG);

const images = {
  png: reply('image/png', PNG),
  jpeg,
  jpg: jpeg,
  svg: reply('image/svg+xml', SVG),
  webp: reply('image/webp', WEBP),
} as const satisfies Record<string, Reply>;

export const image = endpoint({
  id: 'image',
  methods: ['GET'],
  path: '/image/{format}',
  group: 'content',
  summary: 'A fixed image of 16 by 16 pixels.',
  params: { format: oneOf(['png', 'jpeg', 'jpg', 'svg', 'webp']) },
  responses: {
    200: {
      description: 'The image, smaller than 1 KiB.',
      content: ['image/png', 'image/jpeg', 'image/svg+xml', 'image/webp'],
    },
  },
  handle: ({ params: { format } }) => images[format],
});
