import { onTestFinished } from 'vitest';
import type { ExchangeObserver } from '../../../src/server/observer.ts';
import { startAdapters, until, type Adapters, type GivenLimits } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { openSocket } from '../../_raw.ts';

/** Starts adapters whose HTTP/2 is wirebin's own, and a client. @param opening preface and SETTINGS of the client */
export async function open(
  limits: GivenLimits = {},
  observers: readonly ExchangeObserver[] = [],
  opening?: Buffer,
): Promise<{ adapters: Adapters; client: h2.FrameClient }> {
  const adapters = await startAdapters(limits, [], observers, 'wirebin');
  const socket = await openSocket(adapters.port);
  onTestFinished(() => void socket.destroy());
  const client = new h2.FrameClient(socket, opening);
  await until(() => client.got(h2.SETTINGS).length > 1);
  return { adapters, client };
}
