import { reasonPhrases as registered, type ReasonPhrases } from '../../http/status.ts';

/** Names of statuses in Werkzeug, where they are not the registered ones. */
const OTHERS: ReasonPhrases = {
  203: 'Non Authoritative Information',
  207: 'Multi Status',
  306: 'Switch Proxy',
  413: 'Request Entity Too Large',
  414: 'Request URI Too Long',
  416: 'Requested Range Not Satisfiable',
  422: 'Unprocessable Entity',
  449: 'Retry With',
  511: 'Network Authentication Failed',
};

const NAMES: ReasonPhrases = { ...registered, ...OTHERS };

/** The name of a status, as on Werkzeug's pages of errors. */
export function statusName(status: number): string {
  return NAMES[status] ?? 'Unknown';
}

/** Reason phrases as Werkzeug sends them: in upper case. */
export const reasonPhrases: ReasonPhrases = Object.fromEntries(
  Array.from({ length: 600 }, (_, status) => [status, statusName(status).toUpperCase()]),
);
