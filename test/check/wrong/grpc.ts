import { FrameType } from '../../../src/wire/http2/frame.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { HTTP2_ORIGIN, ignoringFrames, wrongLeg } from '../_wrong-leg.ts';
import { changingStatus, changingValues, onResponse, type WrongProxy } from '../_wrong.ts';

const wrongCall = (name: string, deviation: Deviation, turns: WrongProxy['turns']): WrongProxy => ({
  name,
  deviation,
  turns,
  setup: HTTP2_ORIGIN,
});

const changingTimeout = (change: (value: string) => string): Deviation =>
  changingValues((value, name) => (name === 'grpc-timeout' ? change(value) : value));

/** Gateways that break calls of gRPC. */
export const wrongGrpc: readonly WrongProxy[] = [
  wrongLeg(
    'drops trailers of an origin on HTTP/2',
    { trailers: () => [] },
    { 'grpc/trailers': 'fail' },
  ),
  wrongLeg(
    'drops grpc-timeout',
    { fields: (name) => name !== 'grpc-timeout' },
    { 'grpc/fields': 'fail', 'grpc/deadline': 'fail' },
  ),
  wrongLeg(
    'drops TE',
    { fields: (name) => name !== 'te' },
    { 'grpc/fields': 'fail', 'trailer/te-kept': 'fail' },
  ),
  {
    ...wrongLeg(
      'waits for the whole request',
      { waitsForContent: true },
      {
        'grpc/client-streaming': 'differs',
        'grpc/early-status': 'differs',
        'grpc/bidirectional': 'fail',
      },
    ),
    isSilent: true,
  },
  wrongLeg(
    'drops grpc-status of responses',
    { responseFields: (name) => name !== 'grpc-status' },
    { 'grpc/trailers-only': 'fail' },
  ),
  wrongCall('answers 200 where the origin does not respond', changingStatus(502, 200), {
    'grpc/origin-closes': 'fail',
    'grpc/origin-resets': 'fail',
  }),
  wrongCall(
    'answers grpc-status: 14 where the origin does not respond',
    onResponse((response) => {
      if (response.status !== 502) return;
      response.status = 200;
      response.fields = [
        ['content-type', 'application/grpc'],
        ['grpc-status', '14'],
      ];
    }),
    { 'grpc/own-error': 'pass' },
  ),
  ignoringFrames('ignores RST_STREAM', ({ type }) => type === FrameType.rstStream, {
    'grpc/origin-resets': 'fail',
    'grpc/cut-off': 'fail',
  }),
  {
    ...wrongCall(
      'holds messages of the origin back',
      { holdsResponse: () => true },
      { 'grpc/bidirectional': 'fail' },
    ),
    isSilent: true,
  },
  wrongCall(
    'takes grpc-timeout for seconds',
    changingTimeout((value) => value.replace(/\D$/, 'S')),
    { 'grpc/deadline': 'fail' },
  ),
  wrongCall(
    'has a shorter deadline of its own',
    changingTimeout((value) => (value === '1H' ? '5S' : value)),
    { 'grpc/deadline': 'differs' },
  ),
  {
    ...wrongCall(
      'goes on with calls that the client cancels',
      { ignoresGone: true, endsTruncatedRequests: true },
      { 'grpc/cancel': 'differs' },
    ),
    breaksOthers: true,
  },
];
