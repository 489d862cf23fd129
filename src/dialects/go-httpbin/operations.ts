import { index } from '../../endpoints/index.ts';
import { version } from '../../endpoints/version.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { reply } from '../../http/reply.ts';
import { VERSION } from '../../kit/version.ts';
import { indexPage } from '../../views/index-page.ts';
import { answeredBy } from '../manner.ts';
import { shown } from './answers.ts';

const HTML = 'text/html; charset=utf-8';
const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'";

/** @param list every endpoint, these included; asked for with the first request */
export function operations(list: () => readonly Endpoint[]): readonly Endpoint[] {
  let page: string | undefined;
  return [
    answeredBy(
      index(list),
      () => {
        page ??= indexPage(list());
        return reply(HTML, page, { fields: ['Content-Security-Policy', POLICY] });
      },
      [HTML],
    ),
    shown(version, () => ({ service: 'wirebin', version: VERSION })),
  ];
}
