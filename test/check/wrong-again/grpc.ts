import { valuesOf } from '../../../src/check/message.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { breaking, mapped, onRequest, onResponse, without, type WrongProxy } from '../_wrong.ts';
import { HTTP2_ORIGIN, wrongLeg } from '../_wrong-leg.ts';

const wrongGrpc = (name: string, deviation: Deviation, turns: WrongProxy['turns']): WrongProxy => ({
  ...breaking(name, deviation, turns),
  setup: HTTP2_ORIGIN,
});

const changing = (field: string, change: (value: string) => string): Deviation =>
  onRequest((request) => {
    request.fields = mapped(request.fields, (value, name) =>
      name === field ? change(value) : value,
    );
  });

const trailers =
  (
    change: (name: string, value: string) => string | undefined,
  ): ((raw: readonly string[]) => readonly string[]) =>
  (raw) =>
    raw.flatMap((name, at) => {
      if (at % 2 === 1) return [];
      const value = change(name, raw[at + 1] ?? '');
      return value === undefined ? [] : [name, value];
    });

export const wrongGrpcAgain: readonly WrongProxy[] = [
  wrongGrpc(
    'shortens grpc-timeout to nothing',
    changing('grpc-timeout', () => '0S'),
    { 'grpc/fields': 'fail' },
  ),
  wrongGrpc(
    'has a longer grpc-timeout',
    changing('grpc-timeout', () => '50S'),
    { 'grpc/fields': 'fail' },
  ),
  wrongGrpc(
    'sends the first coding of grpc-accept-encoding',
    changing('grpc-accept-encoding', (value) => value.replace(/,.*/, '')),
    { 'grpc/fields': 'fail' },
  ),
  wrongGrpc(
    'decodes binary fields',
    changing('check-bin', (value) => Buffer.from(value, 'base64').toString('latin1')),
    { 'grpc/fields': 'fail' },
  ),
  wrongGrpc(
    'drops the last character of a binary field',
    changing('check-bin', (value) => value.slice(0, -1)),
    { 'grpc/fields': 'fail' },
  ),
  wrongGrpc(
    'sends application/grpc in place of application/grpc+proto',
    changing('content-type', (value) => value.replace('+proto', '')),
    { 'grpc/fields': 'fail' },
  ),
  wrongGrpc(
    'sends the message of a call without its first bytes',
    {
      waitsForRequest: () => true,
      ...onRequest((request) => {
        if (valuesOf(request.fields, 'grpc-timeout').length > 0)
          request.content = request.content?.subarray(5);
        if (request.content && typeof request.framing === 'object')
          request.framing = { length: request.content.length };
      }),
    },
    { 'grpc/fields': 'fail' },
  ),
  {
    ...wrongLeg(
      'drops grpc-message',
      { trailers: trailers((name, value) => (name === 'grpc-message' ? undefined : value)) },
      { 'grpc/trailers': 'fail' },
    ),
    breaksOthers: true,
  },
  {
    ...wrongLeg(
      'has 2 for each grpc-status',
      { trailers: trailers((name, value) => (name === 'grpc-status' ? '2' : value)) },
      { 'grpc/trailers': 'fail' },
    ),
    breaksOthers: true,
  },
  {
    ...wrongLeg(
      'has grpc-status twice',
      { trailers: (raw) => [...raw, 'grpc-status', '0'] },
      { 'grpc/trailers': 'fail' },
    ),
    breaksOthers: true,
  },
  wrongGrpc(
    'has grpc-status in the header section, too',
    onResponse((response) => {
      response.fields.push(['grpc-status', '0']);
    }),
    { 'grpc/trailers': 'fail' },
  ),
  wrongGrpc(
    'forwards a message when the next one comes',
    { holdsRequest: (at) => at === 0 },
    { 'grpc/client-streaming': 'fail' },
  ),
  wrongGrpc(
    'forwards only the first message while a call is open',
    { holdsRequest: (at) => at > 0 },
    { 'grpc/client-streaming': 'fail' },
  ),
  {
    ...wrongGrpc(
      'ends a response only after the request',
      { endsAfterRequest: true },
      { 'grpc/early-status': 'fail' },
    ),
    isSilent: true,
  },
  {
    ...wrongGrpc(
      'has 13 in place of the status of a response without content',
      onResponse((response) => {
        response.fields = mapped(response.fields, (value, name) =>
          name === 'grpc-status' ? '13' : value,
        );
      }),
      { 'grpc/trailers-only': 'fail' },
    ),
  },
  {
    ...wrongGrpc(
      'drops the status of a response without content',
      onResponse((response) => {
        response.fields = without(response.fields, 'grpc-status');
      }),
      { 'grpc/trailers-only': 'fail' },
    ),
  },
  wrongGrpc(
    'adds a trailer to a response without content',
    onResponse((response) => {
      if (valuesOf(response.fields, 'grpc-status').length > 0) response.framing = 'chunked';
    }),
    { 'grpc/trailers-only': 'fail' },
  ),
];
