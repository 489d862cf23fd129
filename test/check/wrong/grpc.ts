import { wrongLeg } from '../_wrong-leg.ts';
import type { WrongProxy } from '../_wrong.ts';

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
    { 'grpc/fields': 'fail' },
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
      { 'grpc/client-streaming': 'differs', 'grpc/early-status': 'differs' },
    ),
    isSilent: true,
  },
  wrongLeg(
    'drops grpc-status of responses',
    { responseFields: (name) => name !== 'grpc-status' },
    { 'grpc/trailers-only': 'fail' },
  ),
];
