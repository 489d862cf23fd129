import { fieldPairs } from '../../http/fields.ts';
import { toMicrosecond } from '../../server/timing.ts';
import { hostPort } from '../../http/ip-address.ts';
import { helloFacts } from '../../net/stored-hello.ts';
import { negotiatedGroupName, sentHelloRetryRequest } from '../../net/tls-key-exchange.ts';
import { statusText } from '../../wire/grpc/status.ts';
import { errorCodeName } from '../../wire/http2/names.ts';
import { versionName } from '../../wire/tls/names.ts';
import { redactField, redactQuery } from './redaction.ts';
import { pathAndQuery } from './filter.ts';
import type { TapEvent } from './event-schema.ts';
import type { TapRecord } from './record.ts';

/**
 * @param secrets whether to show secrets
 * @param worker the worker number, if there are several
 */
export function eventOf(record: TapRecord, secrets: boolean, worker?: number): TapEvent {
  const common = {
    ...(worker !== undefined && { worker }),
    time: new Date(record.time).toISOString(),
    conn: record.connection,
    protocol: record.protocol ?? null,
    remote: hostPort(record.remoteAddress, record.remotePort),
  };
  const { kind } = record;
  switch (kind) {
    case 'opened':
      return { kind, ...common };
    case 'handshake':
      return {
        kind,
        ...common,
        version: record.version,
        cipher_suite: record.cipher ?? null,
        alpn: record.alpn ?? null,
        session_reused: record.resumed,
        ...handshakeView(record),
        duration_ms: toMicrosecond(record.duration),
      };
    case 'handshake_failed':
      return {
        kind,
        ...common,
        ...record.error,
        ...handshakeView(record),
        duration_ms: toMicrosecond(record.duration),
      };
    case 'request':
      return { kind, ...common, ...requestDetails(record, secrets) };
    case 'rejected':
      return {
        kind,
        ...common,
        ...(record.stream !== undefined && { stream: record.stream }),
        ...record.error,
        ...record.message,
      };
    case 'frame':
    case 'record':
      return { kind, ...common, ...record.view };
    case 'closed':
      return {
        kind,
        ...common,
        ...record.closeCause,
        requests: record.requests,
        octets_received: record.bytesReceived,
        octets_sent: record.bytesSent,
        duration_ms: toMicrosecond(record.duration),
      };
  }
}

type HandshakeRecord = Extract<TapRecord, { kind: 'handshake' | 'handshake_failed' }>;

/** The key exchange, the client's identity and what it offers; null for each missing part. */
function handshakeView({ hello, keyExchange }: HandshakeRecord) {
  const facts = hello && helloFacts(hello);
  return {
    group: negotiatedGroupName(keyExchange),
    hello_retry_request: sentHelloRetryRequest(keyExchange, facts),
    sni: facts?.serverName ?? null,
    ja3n_hash: facts?.ja3nHash ?? null,
    ja4: facts?.ja4 ?? null,
    alpn_offered: facts?.alpn ?? null,
    versions_offered: facts?.versions.map(versionName) ?? null,
  };
}

type RequestRecord = Extract<TapRecord, { kind: 'request' }>;

function requestDetails(record: RequestRecord, secrets: boolean) {
  const { method, target, targetLength, fields, omittedFields, responseTime } = record;
  const { path, query } = pathAndQuery(record);
  const shownQuery = secrets ? query : redactQuery(query, path);
  const shownTarget = query === '' ? path : `${path}?${shownQuery}`;
  return {
    request: record.requestNumber,
    ...(record.stream !== undefined && { stream: record.stream }),
    method,
    path,
    query: shownQuery,
    ...(targetLength > target.length && { target_length: targetLength }),
    status: record.status ?? null,
    ...(record.callStatus !== undefined && { grpc_status: statusText(record.callStatus) }),
    octets: record.bytes,
    complete: record.complete,
    ...(record.errorCode && { error_code: errorCodeName(record.errorCode) }),
    timing: {
      answered_ms: responseTime === undefined ? null : toMicrosecond(responseTime),
      duration_ms: toMicrosecond(record.duration),
    },
    raw_headers: Array.from(fieldPairs(fields), ([name, value]): [string, string] => [
      name,
      secrets ? value : name === ':path' ? shownTarget : redactField(name, value),
    ]),
    ...(omittedFields > 0 && { raw_headers_left_out: omittedFields }),
  };
}
