import { expect, test } from 'vitest';
import { TcpTrace } from '../../../src/inspect/tcp.ts';
import { tcpView } from '../../../src/inspect/views/tcp-view.ts';

test('reads, writes and ends, from the opening of the connection', () => {
  const tcp = new TcpTrace();
  tcp.received(5, 1001);
  tcp.sent(7, 1002.5);
  tcp.ended({ by: 'client', how: 'fin', time: 1003 });
  expect(tcpView(tcp, 1000)).not.toHaveProperty('half_closed_ms');
  tcp.ended({ by: 'wirebin', how: 'fin', time: 1005.25 });
  expect(tcpView(tcp, 1000)).toEqual({
    reads: { count: 1, bytes: 5, at_ms_and_bytes: [[1, 5]], left_out: 0 },
    writes: { count: 1, bytes: 7, at_ms_and_bytes: [[2.5, 7]], left_out: 0 },
    ends: [
      { by: 'client', how: 'fin', at_ms: 3 },
      { by: 'wirebin', how: 'fin', at_ms: 5.25 },
    ],
    half_closed_ms: 2.25,
  });
});
