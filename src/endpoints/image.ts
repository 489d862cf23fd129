import { negotiateMediaType } from '../http/accept.ts';
import { endpoint, problemResponse, type Endpoint } from '../server/endpoint.ts';
import { fieldValue } from '../http/fields.ts';
import { described, oneOf } from '../server/params.ts';
import { staticDocument, representationResponses } from '../server/representation.ts';
import { Problem } from '../http/problem.ts';

const VARY = ['Vary', 'Accept'];

// The same 16x16 image in several formats: a bin with its lid.
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
const AVIF = Buffer.from(
  'AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAADrbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAA' +
    'AAAAAAAAAAAAAAAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAETAAAAPwAAAChpaW5mAAAA' +
    'AAABAAAAGmluZmUCAAAAAAEAAGF2MDFDb2xvcgAAAABqaXBycAAAAEtpcGNvAAAAFGlzcGUAAAAAAAAAEAAAABAA' +
    'AAAQcGl4aQAAAAADCAgIAAAADGF2MUOBIAAAAAAAE2NvbHJuY2x4AAEADQAGgAAAABdpcG1hAAAAAAAAAAEAAQQB' +
    'AoMEAAAAR21kYXQSAAoIOAz/+UBDQaQyMUQAACYgo1DV6KeEIHtan+q7JF5MX/JRpnM0eLzKq7F5++rH2h0UtV4B' +
    'Ukdw1vAs+MA=',
  'base64',
);
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">
  <path fill="#fff" d="M0 0h16v16H0z"/>
  <path fill="#1f2937" d="M6 2h4v1h4v2H2V3h4z"/>
  <path fill="#2563eb" d="M3 6h10v8H3z"/>
</svg>
`;

const jpeg = staticDocument('image/jpeg', JPEG);

const images = {
  png: staticDocument('image/png', PNG),
  jpeg,
  jpg: jpeg,
  svg: staticDocument('image/svg+xml', SVG),
  webp: staticDocument('image/webp', WEBP),
} as const;

/** Images in order of preference. PNG is first because every client can show it. */
const negotiated = {
  'image/png': staticDocument('image/png', PNG, VARY),
  'image/webp': staticDocument('image/webp', WEBP, VARY),
  'image/avif': staticDocument('image/avif', AVIF, VARY),
  'image/jpeg': staticDocument('image/jpeg', JPEG, VARY),
  'image/svg+xml': staticDocument('image/svg+xml', SVG, VARY),
} as const;
const OFFERS = Object.keys(negotiated).filter(isOffer);

function isOffer(type: string): type is keyof typeof negotiated {
  return type in negotiated;
}

export const image: readonly Endpoint[] = [
  endpoint({
    id: 'image_accept',
    path: '/image',
    group: 'content',
    summary: 'The image in the format that Accept prefers, PNG by default.',
    responses: {
      ...representationResponses({
        description: 'The image, smaller than 1 KiB.',
        content: OFFERS,
        fields: { Vary: '`Accept`' },
      }),
      406: problemResponse('Accept allows none of the formats.', { Vary: '`Accept`' }),
    },
    handle({ request }) {
      const type = negotiateMediaType(fieldValue(request.fields, 'accept'), OFFERS);
      if (type !== undefined) return negotiated[type](request);
      throw new Problem('not-acceptable', `the image is available as ${OFFERS.join(', ')}`, VARY);
    },
  }),
  endpoint({
    path: '/image/{format}',
    group: 'content',
    summary: 'A fixed image of 16x16 pixels.',
    params: { format: described('Image format.', oneOf(['png', 'jpeg', 'jpg', 'svg', 'webp'])) },
    responses: representationResponses({
      description: 'The image, smaller than 1 KiB.',
      content: ['image/png', 'image/jpeg', 'image/svg+xml', 'image/webp'],
    }),
    handle: ({ request, params: { format } }) => images[format](request),
  }),
];
