import { fieldPairs } from '../../http/fields.ts';
import { toMicrosecond } from '../../server/duration.ts';
import { hostPort } from '../../http/ip-address.ts';
import { errorCodeName } from '../../net/http2-names.ts';
import { helloView } from './hello-facts.ts';
import { hidden, withoutSecrets } from './redaction.ts';
import { partsOf } from './filter.ts';
import type { Kind, TapRecord } from './record.ts';

/** An event of the tap as readers get it. */
export type TapEvent = { readonly kind: Kind } & Readonly<Record<string, unknown>>;

/**
 * @param secrets whether queries and fields that hold secrets are shown as they are
 * @param worker the number of the process where it is one of several
 */
export function eventOf(record: TapRecord, secrets: boolean, worker?: number): TapEvent {
  return {
    kind: record.kind,
    ...(worker !== undefined && { worker }),
    time: new Date(record.time).toISOString(),
    conn: record.connection,
    protocol: record.protocol ?? null,
    remote: hostPort(record.remoteAddress, record.remotePort),
    ...detailsOf(record, secrets),
  };
}

function detailsOf(record: TapRecord, secrets: boolean): Readonly<Record<string, unknown>> {
  switch (record.kind) {
    case 'opened':
      return {};
    case 'handshake':
      return {
        version: record.version,
        cipher_suite: record.cipher ?? null,
        alpn: record.alpn ?? null,
        session_reused: record.resumed,
        ...helloView(record.hello),
        duration_ms: toMicrosecond(record.duration),
      };
    case 'handshake_failed':
      return {
        ...record.fault,
        ...helloView(record.hello),
        duration_ms: toMicrosecond(record.duration),
      };
    case 'request':
      return requestDetails(record, secrets);
    case 'rejected':
      return {
        ...(record.stream !== undefined && { stream: record.stream }),
        ...record.fault,
        ...record.refused,
      };
    case 'closed':
      return {
        ...record.ending,
        requests: record.requests,
        octets_received: record.bytesReceived,
        octets_sent: record.bytesSent,
        duration_ms: toMicrosecond(record.duration),
      };
  }
}

type RequestRecord = Extract<TapRecord, { kind: 'request' }>;

function requestDetails(
  record: RequestRecord,
  secrets: boolean,
): Readonly<Record<string, unknown>> {
  const { method, target, targetLength, fields, moreFields, answering } = record;
  const { path, query } = partsOf(record);
  const shown = query === '' ? path : `${path}?${hidden(query)}`;
  return {
    request: record.ordinal,
    ...(record.stream !== undefined && { stream: record.stream }),
    method,
    path,
    query: secrets ? query : hidden(query),
    ...(targetLength > target.length && { target_length: targetLength }),
    status: record.status ?? null,
    bytes: record.bytes,
    complete: record.through,
    ...(record.errorCode && { error_code: errorCodeName(record.errorCode) }),
    timing: {
      answered_ms: answering === undefined ? null : toMicrosecond(answering),
      duration_ms: toMicrosecond(record.duration),
    },
    raw_headers: Array.from(fieldPairs(fields), ([name, value]) =>
      secrets ? [name, value] : [name, name === ':path' ? shown : withoutSecrets(name, value)],
    ),
    ...(moreFields > 0 && { raw_headers_left_out: moreFields }),
  };
}
