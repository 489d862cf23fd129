import {
  alertName,
  extensionName,
  groupName,
  handshakeTypeName,
  recordTypeName,
  signatureSchemeName,
  versionName,
} from '../../wire/tls/names.ts';
import type { ServerFlight } from '../../wire/tls/server-flight.ts';
import type { TlsRecord } from '../tls/record-reader.ts';
import type { HandshakeMessage } from '../../wire/tls/handshake-reader.ts';
import type { ResumptionOffer, TicketTrace } from '../tls/hello.ts';
import type { TlsReader } from '../tls/tls-reader.ts';
import type { Carried } from '../tls/http-records.ts';
import type { TlsAlert, TlsDirection } from '../tls/direction.ts';
import { leftOutView, type Redaction } from './view.ts';

/** @param issuer the connection that issued the ticket of a resumed session; undefined if it is not known */
export function tlsView(trace: TlsReader['trace'], issuer: string | undefined) {
  const { selection, flight, resumption, offers, isRetried, issued, unread } = trace;
  return {
    ...(selection && { version: versionName(selection.version) }),
    client: directionView(trace.client),
    server: directionView(trace.server),
    ...(unread.records > 0 && { unread }),
    offers: offers.map(offerView),
    ...leftOutView('offers', trace.offersLeftOut),
    ...(isRetried && { hello_retry_request: true }),
    ...(flight && flightView(flight)),
    resumption: resumption && {
      by: resumption.by,
      ...(resumption.trace && { ticket: resumption.trace.hash }),
      ...(issuer !== undefined && { from: issuer }),
    },
    issued: issued.map(({ hash, length, lifetime }) => ({ ticket: hash, length, lifetime })),
    ...leftOutView('issued', trace.issuedLeftOut),
  };
}

/** What the server has sent so far. */
function flightView({ hello, group, signatureScheme }: ServerFlight) {
  return {
    ...(group !== undefined && { group: groupName(group) }),
    ...(hello && {
      server_hello: {
        legacy_version: versionName(hello.legacyVersion),
        session_id: hello.sessionId,
        extensions: hello.extensions.map(extensionName),
      },
    }),
    ...(signatureScheme !== undefined && {
      server_key_exchange: { signature_scheme: signatureSchemeName(signatureScheme) },
    }),
  };
}

function directionView(direction: TlsDirection['trace']) {
  const { bytes, leftOut, totals, sizes, handshake, alerts, closeNotify, confusedAt } = direction;
  return {
    bytes,
    records: Object.fromEntries(
      totals.map(({ type, records, bytes: size }) => [
        recordTypeName(type),
        { records, bytes: size },
      ]),
    ),
    records_left_out: leftOut,
    sizes,
    handshake: handshake.map(messageView),
    ...leftOutView('handshake', direction.handshakeLeftOut),
    alerts: alerts.map(alertView),
    ...leftOutView('alerts', direction.alertsLeftOut),
    close_notify: { sent: closeNotify.isSent, known_by: closeNotify.basis },
    ...(confusedAt !== undefined && { confused_at: confusedAt }),
  };
}

function messageView({ type, length, parts, partCount }: HandshakeMessage) {
  return {
    type: handshakeTypeName(type),
    length,
    records: parts.map(({ record, bytes }) => ({ record, bytes })),
    ...(partCount > parts.length && { records_left_out: partCount - parts.length }),
  };
}

/** An alert, also as event of the connection. */
export function alertView({ record, level, description, isEncrypted }: TlsAlert) {
  return {
    record,
    level: level === undefined ? null : levelName(level),
    description: description === undefined ? null : alertName(description),
    encrypted: isEncrypted,
  };
}

function levelName(level: number): string {
  return level === 1 ? 'warning' : 'fatal';
}

function offerView(offer: ResumptionOffer) {
  const { sessionId, ticket, identities, earlyData } = offer;
  return {
    session_id: sessionId ?? null,
    session_ticket: ticketView(ticket),
    pre_shared_keys: identities.map(ticketView),
    ...leftOutView('pre_shared_keys', offer.identitiesLeftOut),
    early_data: earlyData,
  };
}

function ticketView(ticket: TicketTrace | undefined) {
  return ticket ? { ticket: ticket.hash, length: ticket.length } : null;
}

/**
 * A record as event of the connection.
 *
 * @param http the HTTP bytes that it carried
 */
export function recordView({ number, offset, type, version, length }: TlsRecord, http?: Carried) {
  return {
    record: number,
    type: recordTypeName(type),
    version: versionName(version),
    length,
    offset,
    ...(http && { http: { offset: http.offset, length: http.length } }),
  };
}

/** Adds TLS record numbers to messages and frames. @param tls undefined without TLS */
export function withRecords(redaction: Redaction, tls: TlsReader | undefined): Redaction {
  if (!tls) return redaction;
  return {
    ...redaction,
    records: (from, offset, bytes) => {
      const range = tls.httpRecords[from].of(offset, bytes);
      return range ? { tls_records: range } : {};
    },
  };
}
