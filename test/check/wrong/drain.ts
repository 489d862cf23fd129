import type { ClientRequest } from '../_gateway-messages.ts';
import { changesResponse, wrong, type WrongProxy } from '../_wrong.ts';

const isSteady = ({ target }: Pick<ClientRequest, 'target'>): boolean =>
  target.startsWith('/anything/drain?');

/** Gateways that lose requests, or reuse responses, while the origin drains. */
export const wrongDrain: readonly WrongProxy[] = [
  changesResponse(
    'answers 503 in place of slow responses',
    'drain/open-requests',
    (response, { target }) => {
      if (target.startsWith('/drip')) response.status = 503;
    },
  ),
  wrong(
    'loses responses',
    'drain/requests',
    (() => {
      let count = 0;
      return {
        waitsForResponse: () => true,
        response: (response, client) => {
          if (!isSteady(client) || ++count % 5 !== 2) return;
          response.content = Buffer.alloc(response.content?.length ?? 0);
        },
      };
    })(),
  ),
  wrong(
    'does not find the origin again',
    'drain/requests',
    (() => {
      let count = 0;
      return { refuses: (client) => (isSteady(client) && ++count > 2 ? 503 : undefined) };
    })(),
  ),
  {
    ...wrong(
      'reuses what is stale while the origin is gone',
      { 'cache/must-revalidate-gone': 'fail', 'cache/stale-if-error': 'differs' },
      { cache: { reusesIfGone: true } },
    ),
    setup: { scheme: 'http', hasCache: true },
  },
];
