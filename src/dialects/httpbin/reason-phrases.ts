import { STATUS_CODES } from '../../net/node-http.ts';
import type { ReasonPhrases } from '../../http/status.ts';

/** Names of statuses in Werkzeug, where they are not those of Node; undefined for those that it does not know. */
const OTHERS: ReasonPhrases = {
  203: 'Non Authoritative Information',
  207: 'Multi Status',
  306: 'Switch Proxy',
  413: 'Request Entity Too Large',
  414: 'Request URI Too Long',
  416: 'Requested Range Not Satisfiable',
  418: "I'm a teapot",
  449: 'Retry With',
  509: undefined,
  511: 'Network Authentication Failed',
};

const NAMES: ReasonPhrases = { ...STATUS_CODES, ...OTHERS };

/** The name of a status, as on Werkzeug's pages of errors. */
export function statusName(status: number): string {
  return NAMES[status] ?? 'Unknown';
}

/** Reason phrases as Werkzeug sends them: in upper case. */
export const reasonPhrases: ReasonPhrases = Object.fromEntries(
  Array.from({ length: 600 }, (_, status) => [status, statusName(status).toUpperCase()]),
);
