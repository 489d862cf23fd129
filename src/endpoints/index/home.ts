import { encoderFor, negotiateCoding } from '../../http/codings.ts';
import { fieldValue } from '../../http/fields.ts';
import { invalidParameter } from '../../http/problem.ts';
import { fileCodings } from '../../pages/built-files.ts';
import { assetsHash } from '../../pages/home/assets.ts';
import { CONNECTION, connectionHtml } from '../../pages/home/connection-section.ts';
import { homeDocument, HOME_POLICY, type Section } from '../../pages/home/document.ts';
import { TRY } from '../../pages/home/endpoint-form.ts';
import { hourSection, reportsSection, tapSection } from '../../pages/home/live-sections.ts';
import { trySection, tryTarget } from '../../pages/home/try-section.ts';
import { hasPath, queryOf, type Endpoint } from '../../server/endpoint.ts';
import { pullParts } from '../../server/payload.ts';
import { HTML_TYPE, redirect, reply, type Reply } from '../../server/reply.ts';
import type { Request } from '../../server/request.ts';
import { NOSNIFF } from '../../server/safety.ts';
import { serialize } from '../../server/request-cost.ts';
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

/**
 * Makes the function that makes the page for browsers. Parts that are the same for all requests are made once.
 *
 * @param endpoints of the service
 * @param instance name of the service; undefined without one
 */
export async function homePage(
  endpoints: readonly Endpoint[],
  instance: string | undefined,
): Promise<(request: Request) => Reply | Promise<Reply>> {
  const [before, after] = homeDocument(CONNECTION, {
    sections: sectionsOf(endpoints),
    assets: `page/${await assetsHash()}/`,
    instance,
    hasOpenApi: hasPath(endpoints, '/openapi.json'),
    hasDocs: hasPath(endpoints, '/docs'),
  });
  const hasEcho = hasPath(endpoints, '/anything');
  const [head, rest] = [Buffer.from(before), Buffer.from(after)];
  return (request) => {
    const html = connectionHtml(connectionFacts(request, hasEcho));
    const accepted = fieldValue(request.fields, 'accept-encoding');
    const coding = negotiateCoding(accepted, fileCodings) ?? 'identity';
    if (coding === 'identity') {
      const section = Buffer.from(html);
      const payload = pullParts([head, section, rest], section.length);
      return reply(HTML_TYPE, payload, { fields: PAGE_FIELDS });
    }
    return serialize(request, async () => {
      const encoded = await encoderFor(coding)(before + html + after);
      return reply(HTML_TYPE, encoded, { fields: ['Content-Encoding', coding, ...PAGE_FIELDS] });
    });
  };
}

/** Redirects to the target that the form of an endpoint describes. @throws Problem invalid-parameter */
export function tryReply(request: Request, endpoints: readonly Endpoint[], id: string): Reply {
  const target = tryTarget(endpoints, id, queryOf(request));
  if (target === undefined) throw invalidParameter(TRY, id, 'is no endpoint with GET');
  return redirect(target);
}

/** Sections of the page that are the same for all requests. */
function sectionsOf(endpoints: readonly Endpoint[]): Section[] {
  return [
    trySection(endpoints),
    tapSection(
      hasPath(endpoints, '/tap') ? EVENT_KINDS.filter((kind) => !isWireKind(kind)) : undefined,
      hasPath(endpoints, '/connections/{id}'),
    ),
    hourSection(hasPath(endpoints, '/metrics/history')),
    reportsSection,
  ];
}
