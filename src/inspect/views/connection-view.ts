import type { Inspected } from '../connection-inspection.ts';
import { http1SummaryView } from './http1-view.ts';
import { http2SummaryView } from './http2-view.ts';
import { tcpView } from './tcp-view.ts';
import { tlsView } from './tls-view.ts';
import { elapsed, type Redaction } from './view.ts';

/** The facts of each layer of a connection. */
export function connectionView(
  inspection: Inspected,
  redaction: Redaction,
  issuerOf: (ticket: string) => string | undefined,
) {
  const { facts, openedAt, closed, proxyHeaderLength, tcp, tls, http1, http2, undetected } =
    inspection;
  const tlsTrace = tls?.trace;
  const ticket = tlsTrace?.resumption?.trace;
  return {
    id: facts.id,
    ...(facts.worker !== undefined && { worker: facts.worker }),
    protocol: facts.protocol ?? null,
    remote: facts.remote,
    peer: facts.peer,
    local: facts.local,
    opened: new Date(performance.timeOrigin + openedAt).toISOString(),
    requests: facts.requests,
    open_requests: facts.openRequests,
    closed: closed ? { ...closed.cause, at_ms: elapsed(closed.time, openedAt) } : null,
    ...(proxyHeaderLength > 0 && { proxy_header: { length: proxyHeaderLength } }),
    tcp: tcpView(tcp, openedAt),
    ...(tlsTrace && { tls: tlsView(tlsTrace, ticket && issuerOf(ticket.hash)) }),
    ...(http1 && { http1: http1SummaryView(http1.summary, redaction) }),
    ...(http2 && { http2: http2SummaryView(http2, openedAt, redaction) }),
    ...(!http1 &&
      !http2 &&
      undetected.length > 0 && {
        undetected: {
          bytes: redaction.content(undetected.bytes.toString('latin1')),
          length: undetected.length,
        },
      }),
  };
}
