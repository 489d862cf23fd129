import { valueOf, type FieldLine } from '../../../src/check/message.ts';
import type { OriginRequest } from '../_gateway-messages.ts';
import { mapped, without, wrong, type WrongProxy } from '../_wrong.ts';
import { replaceContent } from '../_wrong-content.ts';

/** Waits for a request with content, and does something with its trailers. */
const onTrailers = (
  name: string,
  check: string,
  change: (request: OriginRequest) => void,
): WrongProxy =>
  wrong(name, check, {
    waitsForRequest: ({ framing }) => framing !== 'none',
    request: (request) => {
      if (request.trailers.length > 0) change(request);
    },
  });

const text = (lines: readonly FieldLine[]): Buffer =>
  Buffer.from(lines.map(([name, value]) => `${name}: ${value}\r\n`).join(''));

const responses = (
  name: string,
  change: (trailers: readonly FieldLine[], fields: FieldLine[]) => readonly FieldLine[],
): WrongProxy =>
  wrong(name, 'trailer/response', {
    waitsForResponse: ({ framing }) => framing !== 'none',
    response: (response) => {
      if (response.trailers.length > 0)
        response.trailers = [...change(response.trailers, response.fields)];
    },
  });

export const trailers: readonly WrongProxy[] = [
  onTrailers('merges request trailers, and forwards them too', 'trailer/request', (request) =>
    request.fields.push(...request.trailers),
  ),
  onTrailers('merges request trailers by another name', 'trailer/request', (request) =>
    request.fields.push(
      ...request.trailers.map(([name, value]): FieldLine => [`Trailer-${name}`, value]),
    ),
  ),
  onTrailers('forwards request trailers as content', 'trailer/request', (request) => {
    request.content = Buffer.concat([request.content ?? Buffer.alloc(0), text(request.trailers)]);
    request.trailers = [];
  }),
  onTrailers('cuts values of request trailers', 'trailer/request', (request) => {
    request.trailers = mapped(request.trailers, (value) => value.slice(0, -1));
  }),
  onTrailers('forwards request trailers twice', 'trailer/request', (request) => {
    request.trailers = [...request.trailers, ...request.trailers];
  }),
  onTrailers('drops request trailers, and the content with them', 'trailer/request', (request) => {
    request.trailers = [];
    request.content = Buffer.alloc(0);
  }),
  onTrailers(
    'adds X-Forwarded-For of trailers to its own',
    'trailer/request-forbidden',
    (request) => {
      const address = valueOf(request.trailers, 'x-forwarded-for');
      request.fields = mapped(request.fields, (value, name) =>
        name === 'x-forwarded-for' && address !== undefined ? `${address}, ${value}` : value,
      );
    },
  ),
  onTrailers('merges Authorization alone', 'trailer/request-forbidden', (request) =>
    request.fields.push(
      ...request.trailers.filter(([name]) => name.toLowerCase() === 'authorization'),
    ),
  ),
  onTrailers('merges X-Forwarded-For as X-Real-IP', 'trailer/request-forbidden', (request) => {
    const address = valueOf(request.trailers, 'x-forwarded-for');
    if (address !== undefined) request.fields.push(['X-Real-IP', address]);
  }),
  responses('merges response trailers, and forwards them too', (all, fields) => {
    fields.push(...all);
    return all;
  }),
  responses('merges response trailers by another name', (all, fields) => {
    fields.push(...all.map(([name, value]): FieldLine => [`Trailer-${name}`, value]));
    return [];
  }),
  responses('cuts values of response trailers', (all) =>
    mapped(all, (value) => value.slice(0, -1)),
  ),
  responses('forwards response trailers twice', (all) => [...all, ...all]),
  wrong('sends response trailers as content', 'trailer/response', {
    waitsForResponse: ({ framing }) => framing !== 'none',
    response: (response) => {
      const { content, trailers: all } = response;
      if (!content || all.length === 0) return;
      response.fields = without(response.fields, 'trailer');
      replaceContent(response, Buffer.concat([content, text(all)]));
      response.trailers = [];
    },
  }),
];
