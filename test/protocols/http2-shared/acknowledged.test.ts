import { describe, expect, test } from 'vitest';
import { endpoint } from '../../../src/server/endpoint.ts';
import { text } from '../../../src/server/reply.ts';
import type { SessionControl } from '../../../src/server/request.ts';
import { H2_ENGINES } from '../../../src/settings/settings.ts';
import { startAdapters, until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { openSocket } from '../../_raw.ts';

const LIMIT = 60_000;

type Wait = (control: SessionControl) => Promise<number | undefined>;

/** What waits for the client, and the frame with which it is told to. */
const WAITS: readonly (readonly [name: string, frame: number, wait: Wait])[] = [
  [
    'SETTINGS',
    h2.SETTINGS,
    (control) => control.sendSettings(new Map([['max_concurrent_streams', 5]]), LIMIT),
  ],
  ['PING', h2.PING, (control) => control.ping(LIMIT)],
];

describe.each(H2_ENGINES)('%s', (engine) => {
  test.each(WAITS)(
    'nothing waits for %s of a connection that has closed',
    async (_, type, wait) => {
      const times: (number | undefined)[] = [];
      const waiting = endpoint({
        path: '/waiting',
        group: 'faults',
        summary: 'Waits.',
        responses: { 200: { description: 'Acknowledged or not.', content: ['text/plain'] } },
        async handle({ request }) {
          if (request.stream) times.push(await wait(request.stream.session));
          return text('');
        },
      });
      const adapters = await startAdapters({}, [waiting], [], engine);
      const client = new h2.FrameClient(await openSocket(adapters.port), h2.OPENING);
      await until(() => client.got(h2.SETTINGS).length > 1);
      const before = client.got(type).length;
      client.send(h2.get(1, '/waiting'));
      await until(() => client.got(type).length > before);
      client.socket.destroy();
      await until(() => times.length === 1);
      expect(times).toEqual([undefined]);
      expect(adapters.defects).toEqual([]);
    },
  );
});
