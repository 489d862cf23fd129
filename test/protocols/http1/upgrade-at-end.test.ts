import { once } from 'node:events';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { endpoint } from '../../../src/server/endpoint.ts';
import { empty } from '../../../src/server/reply.ts';
import type { UpgradeChannel } from '../../../src/server/upgrade.ts';
import { startAdapters, until } from '../../_adapters.ts';
import { GET } from '../../_raw.ts';
import { frame, HANDSHAKE } from '../../_websocket.ts';
import { nextHeld } from '../../_shared.ts';

const upgrades = endpoint({
  path: '/upgrade',
  group: 'content',
  summary: '',
  responses: {},
  upgrade: 'websocket',
  handle: () => ({
    ...empty(101, ['Connection', 'Upgrade', 'Upgrade', 'websocket']),
    upgrade: {
      begin(channel: UpgradeChannel) {
        if (channel.hasEnded) channel.abort();
        return { drain: () => undefined };
      },
    },
  }),
});

test('a client that closes behind a pipelined upgrade has closed', async () => {
  const closed: string[] = [];
  const adapters = await startAdapters(
    {},
    [upgrades],
    [{ closed: ({ closeCause }) => void closed.push(closeCause.by) }],
  );
  const tcp = connect(adapters.port, '127.0.0.1');
  onTestFinished(() => void tcp.destroy());
  await once(tcp, 'connect');
  const records: Buffer[] = [];
  let isKept = false;
  const below = new Duplex({
    read: () => undefined,
    write(record: Buffer, _encoding, written) {
      if (isKept) records.push(record);
      else tcp.write(record);
      written();
    },
  });
  tcp.on('data', (bytes) => below.push(bytes));
  const client = tls.connect({
    socket: below,
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  });
  await once(client, 'secureConnect');
  isKept = true;
  client.write(GET('/hold') + GET('/upgrade', HANDSHAKE));
  client.write(frame(1, 'behind it'));
  client.end();
  await until(() => records.length >= 3);
  // In one segment, so that the service has the end when it reads the requests.
  tcp.write(Buffer.concat(records));
  const held = await nextHeld(adapters);
  await until(() => held.request.connection.clientHalfClosed);
  held.respond();
  await until(() => closed.length > 0);
  expect([closed, adapters.defects]).toEqual([['client'], []]);
});
