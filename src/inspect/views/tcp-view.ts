import type { TcpTrace, Transfers } from '../tcp.ts';
import { elapsed } from './view.ts';

export function tcpView(tcp: Readonly<TcpTrace>, openedAt: number) {
  const { halfClosed } = tcp;
  return {
    reads: transfersView(tcp.reads, openedAt),
    writes: transfersView(tcp.writes, openedAt),
    ends: tcp.ends.map(({ by, how, time }) => ({ by, how, at_ms: elapsed(time, openedAt) })),
    ...(halfClosed !== undefined && { half_closed_ms: elapsed(halfClosed, 0) }),
  };
}

function transfersView(transfers: Readonly<Transfers>, openedAt: number) {
  const { count, bytes, kept, leftOut } = transfers;
  const list = kept.map(({ time, bytes: size }) => [elapsed(time, openedAt), size]);
  return { count, bytes, at_ms_and_bytes: list, left_out: leftOut };
}
