import { expect, test } from 'vitest';
import { sharedService } from '../../_shared.ts';
import { callWith, openSession } from '../_call.ts';

const running = sharedService();

test('EmptyCall answers with an empty message', async () => {
  const session = openSession(running().port);
  const { frames, trailers } = await callWith(session, '/grpc.testing.TestService/EmptyCall', ['']);
  expect(frames).toEqual([[0, Buffer.alloc(0)]]);
  expect(trailers['grpc-status']).toBe('0');
});
