/**
 * HTTP Methods (IANA's methods.csv), as of June 2026: RFC 9110 9 and 18.2, RFC 2068, 3253, 3648, 3744, 4437, 4791, 4918,
 * 5323, 5789, 5842, 9113 and 10008. No request has the method `*`, which is reserved.
 */
export const registeredMethods = [
  '*',
  'ACL',
  'BASELINE-CONTROL',
  'BIND',
  'CHECKIN',
  'CHECKOUT',
  'CONNECT',
  'COPY',
  'DELETE',
  'GET',
  'HEAD',
  'LABEL',
  'LINK',
  'LOCK',
  'MERGE',
  'MKACTIVITY',
  'MKCALENDAR',
  'MKCOL',
  'MKREDIRECTREF',
  'MKWORKSPACE',
  'MOVE',
  'OPTIONS',
  'ORDERPATCH',
  'PATCH',
  'POST',
  'PRI',
  'PROPFIND',
  'PROPPATCH',
  'PUT',
  'QUERY',
  'REBIND',
  'REPORT',
  'SEARCH',
  'TRACE',
  'UNBIND',
  'UNCHECKOUT',
  'UNLINK',
  'UNLOCK',
  'UPDATE',
  'UPDATEREDIRECTREF',
  'VERSION-CONTROL',
];

/** Unregistered methods of UPnP, caches and Icecast. */
const unregisteredMethods = ['M-SEARCH', 'NOTIFY', 'SUBSCRIBE', 'UNSUBSCRIBE', 'PURGE', 'SOURCE'];

const known: ReadonlySet<string> = new Set([...registeredMethods, ...unregisteredMethods]);

/** Whether a method is in use: its name then reveals nothing about the client. */
export function isKnownMethod(method: string): boolean {
  return known.has(method);
}
