import { essenceOf } from '../../http/media-type.ts';
import { Problem } from '../../http/problem.ts';
import type { Fault } from '../../server/fault.ts';
import type { Request } from '../../server/request.ts';
import { isExecutableType, NOSNIFF } from '../../server/safety.ts';
import { checkRefresh, checkTarget, type RedirectTargets } from '../redirect-to.ts';
import type { Description } from './parameters.ts';

/** What only the operator may describe. */
export interface Permissions {
  /** Whether a browser may execute the content, and a fault may end a message before content that a client chose. */
  readonly verbatim: boolean;
  /** Where a redirect and Refresh may lead. */
  readonly redirects: RedirectTargets;
}

const [NOSNIFF_NAME] = NOSNIFF;
const SCRIPT = /^(?:application|text)\/(?:x-)?(?:java|ecma|j|live)script/;

/** Refuses a response by which a browser would execute script, or leave for another host. @throws Problem */
export function checkSafety(
  { header, type, status }: Pick<Description, 'header' | 'type' | 'status'>,
  request: Request,
  { verbatim, redirects }: Permissions,
): void {
  const isRedirect = status?.some(({ value }) => value >= 300 && value < 400) ?? false;
  for (const [name, value] of header) {
    if (isRedirect && name.toLowerCase() === 'location') checkTarget(value, request, redirects);
  }
  checkRefresh(header, request, redirects);
  if (verbatim) return;
  const values = new Map(header.map(([name, value]) => [name.toLowerCase(), value]));
  const sent = type ?? values.get('content-type');
  if (sent !== undefined && SCRIPT.test(essenceOf(sent))) throw refused(`content of ${sent}`);
  if (sent !== undefined && values.has('content-encoding') && isExecutableType(sent)) {
    throw refused(`Content-Encoding in header, which could hide markup in ${sent}`);
  }
  const sniffed = values.get(NOSNIFF_NAME.toLowerCase()) ?? 'nosniff';
  if (sniffed.toLowerCase() !== 'nosniff') throw refused(`${NOSNIFF_NAME}: ${sniffed}`);
  if (values.has('service-worker-allowed')) throw refused('Service-Worker-Allowed');
}

/** Refuses content that a client chose, if the fault could have a recipient take it for a response. @throws Problem */
export function checkFault(
  { body, base64, content }: Description,
  fault: Fault | undefined,
  { verbatim }: Permissions,
): void {
  if (verbatim || !fault || !breaksFraming(fault)) return;
  const isChosen = (body ?? base64) !== undefined || content?.kind === 'echo';
  if (isChosen)
    throw refused(`fault=${fault.kind} with content other than alphabet, random or lines`);
}

/** Whether a recipient may find another end of the message. */
function breaksFraming(fault: Fault): boolean {
  switch (fault.kind) {
    case 'content-length':
      return fault.sent > fault.declared;
    case 'chunk':
      return fault.how === 'bad-size' || fault.how === 'overflow' || fault.how === 'no-crlf';
    case 'head':
      return fault.how === 'two-lengths' || fault.how === 'length-and-chunked';
    default:
      return false;
  }
}

function refused(what: string): Problem {
  return new Problem('invalid-parameter', `${what}: only --allow-raw allows it`);
}
