import { negotiateCoding } from '../../http/codings.ts';
import { fieldValue } from '../../http/fields.ts';
import { invalidParameter } from '../../http/problem.ts';
import { assetCodings, encodePage, pageAssets } from '../../pages/home/assets.ts';
import { connectionSection } from '../../pages/home/connection-section.ts';
import { homeDocument, HOME_POLICY, type Section } from '../../pages/home/document.ts';
import { TRY } from '../../pages/home/endpoint-form.ts';
import { hourSection, reportsSection, tapSection } from '../../pages/home/live-sections.ts';
import { trySection, tryTarget } from '../../pages/home/try-section.ts';
import { queryOf, type Endpoint } from '../../server/endpoint.ts';
import { HTML_TYPE, redirect, reply, type Reply } from '../../server/reply.ts';
import type { Request } from '../../server/request.ts';
import { NOSNIFF } from '../../server/safety.ts';
import { EVENT_KINDS, isWireKind } from '../../telemetry/tap/record.ts';
import { connectionFacts } from './connection-facts.ts';

const PAGE_FIELDS = [
  'Content-Security-Policy',
  HOME_POLICY,
  'Cache-Control',
  'no-store',
  'Referrer-Policy',
  'no-referrer',
  ...NOSNIFF,
  'Vary',
  'Accept, Accept-Encoding',
];

/** Those of each list of endpoints, of which a service has one for each dialect. */
const constantSections = new WeakMap<readonly Endpoint[], readonly Section[]>();

/** The page for browsers. @param endpoints those of the service; the same array each time */
export async function pageReply(request: Request, endpoints: readonly Endpoint[]): Promise<Reply> {
  const constant = constantSections.get(endpoints) ?? sectionsOf(endpoints);
  constantSections.set(endpoints, constant);
  const sections = [connectionSection(connectionFacts(request)), ...constant];
  const { hash } = await pageAssets();
  const html = homeDocument({
    sections,
    assets: `page/${hash}/`,
    instance: request.connection.instance,
    hasOpenApi: endpoints.some(({ path }) => path === '/openapi.json'),
  });
  const accepted = fieldValue(request.fields, 'accept-encoding');
  const coding = negotiateCoding(accepted, assetCodings) ?? 'identity';
  if (coding === 'identity') return reply(HTML_TYPE, html, { fields: PAGE_FIELDS });
  const fields = ['Content-Encoding', coding, ...PAGE_FIELDS];
  return reply(HTML_TYPE, await encodePage(html, coding), { fields });
}

/** Redirects to what the form of an endpoint asks for. @throws Problem invalid-parameter */
export function tryReply(request: Request, endpoints: readonly Endpoint[], id: string): Reply {
  const target = tryTarget(endpoints, id, queryOf(request));
  if (target === undefined) throw invalidParameter(TRY, id, 'is no endpoint with GET');
  return redirect(target);
}

/** The sections that are the same for all requests. */
function sectionsOf(endpoints: readonly Endpoint[]): Section[] {
  const has = (path: string): boolean => endpoints.some((one) => one.path === path);
  return [
    trySection(endpoints),
    tapSection(has('/tap') ? EVENT_KINDS.filter((kind) => !isWireKind(kind)) : undefined),
    hourSection(has('/metrics/history')),
    reportsSection,
  ];
}
