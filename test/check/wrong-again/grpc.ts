import { valuesOf } from '../../../src/check/message.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { mapped, onRequest, type WrongProxy } from '../_wrong.ts';
import { wrongLeg } from '../_wrong-leg.ts';
import { changingTrailers, wrongCall } from '../wrong/grpc.ts';

const changing = (field: string, change: (value: string) => string): Deviation =>
  onRequest((request) => {
    request.fields = mapped(request.fields, (value, name) =>
      name === field ? change(value) : value,
    );
  });

export const wrongGrpcAgain: readonly WrongProxy[] = [
  wrongCall(
    'shortens grpc-timeout to nothing',
    'grpc/fields',
    changing('grpc-timeout', () => '0S'),
  ),
  wrongCall(
    'has a longer grpc-timeout',
    'grpc/fields',
    changing('grpc-timeout', () => '50S'),
  ),
  wrongCall(
    'sends the first coding of grpc-accept-encoding',
    'grpc/fields',
    changing('grpc-accept-encoding', (value) => value.replace(/,.*/, '')),
  ),
  wrongCall(
    'decodes binary fields',
    'grpc/fields',
    changing('check-bin', (value) => Buffer.from(value, 'base64').toString('latin1')),
  ),
  wrongCall(
    'drops the last character of a binary field',
    'grpc/fields',
    changing('check-bin', (value) => value.slice(0, -1)),
  ),
  wrongCall(
    'sends application/grpc in place of application/grpc+proto',
    'grpc/fields',
    changing('content-type', (value) => value.replace('+proto', '')),
  ),
  wrongCall('sends the message of a call without its first bytes', 'grpc/fields', {
    waitsForRequest: () => true,
    ...onRequest((request) => {
      if (valuesOf(request.fields, 'grpc-timeout').length > 0)
        request.content = request.content?.subarray(5);
      if (request.content && typeof request.framing === 'object')
        request.framing = { length: request.content.length };
    }),
  }),
  wrongLeg('drops grpc-message', 'grpc/trailers', {
    trailers: changingTrailers((name, value) => (name === 'grpc-message' ? undefined : value)),
  }),
  wrongLeg('has 2 for each grpc-status', 'grpc/trailers', {
    trailers: changingTrailers((name, value) => (name === 'grpc-status' ? '2' : value)),
  }),
  wrongLeg('has grpc-status twice', 'grpc/trailers', {
    trailers: (raw) => [...raw, 'grpc-status', '0'],
  }),
  wrongCall('has grpc-status in the header section, too', 'grpc/trailers', {
    response: (response) => {
      response.fields.push(['grpc-status', '0']);
    },
  }),
  wrongCall('forwards a message when the next one comes', 'grpc/client-streaming', {
    holdsRequest: (at) => at === 0,
  }),
  wrongCall('forwards only the first message while a call is open', 'grpc/client-streaming', {
    holdsRequest: (at) => at > 0,
  }),
  {
    ...wrongCall('ends a response only after the request', 'grpc/early-status', {
      endsAfterRequest: true,
    }),
    isSilent: true,
  },
  wrongCall('has 13 in place of the status of a response without content', 'grpc/trailers-only', {
    response: (response) => {
      response.fields = mapped(response.fields, (value, name) =>
        name === 'grpc-status' ? '13' : value,
      );
    },
  }),
  wrongCall('adds a trailer to a response without content', 'grpc/trailers-only', {
    response: (response) => {
      if (valuesOf(response.fields, 'grpc-status').length > 0) response.framing = 'chunked';
    },
  }),
];
