import { env } from '../../endpoints/env.ts';
import { hostname } from '../../endpoints/hostname.ts';
import { index } from '../../endpoints/index.ts';
import { version } from '../../endpoints/version.ts';
import type { Endpoint } from '../../server/endpoint.ts';
import { reply } from '../../server/reply.ts';
import { VERSION } from '../../version.ts';
import { indexPage } from '../../pages/index-page.ts';
import { withHandler } from '../response-style.ts';
import type { DialectState } from '../state.ts';
import { withView } from './replies.ts';

const HTML = 'text/html; charset=utf-8';
const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'";

/** @param list every endpoint, including these; called with the first request */
export function indexEndpoint(list: () => readonly Endpoint[]): Endpoint {
  let page: string | undefined;
  return withHandler(
    index(list),
    () => {
      page ??= indexPage(list());
      return reply(HTML, page, { fields: ['Content-Security-Policy', POLICY] });
    },
    [HTML],
  );
}

/** As in the original, /env and /hostname exist without their settings, but reveal nothing. */
export function operations({
  environment = {},
  hostname: name,
}: DialectState): readonly Endpoint[] {
  const machine = name ?? 'go-httpbin';
  return [
    withView(version, () => ({ service: 'wirebin', version: VERSION })),
    withView(env(environment), () => ({ env: environment })),
    withView(hostname(machine), () => ({ hostname: machine })),
  ];
}
