import { changesResponse, changingStatus, wrong, type WrongProxy } from '../_wrong.ts';
import { changingContent, replaceContent, changesContent } from '../_wrong-content.ts';
import { changingValue } from './_fields.ts';

const named = (status: number): WrongProxy['turns'] => ({ [`response/status-${status}`]: 'fail' });

/** What no RFC forbids: `differs` where the rule about the status is a requirement of one. */
const differing = (status: number): WrongProxy['turns'] => ({
  [`response/status-${status}`]: 'differs',
});

/** Its own page in place of the content, with the status that it had. */
const ownPage = (status: number): WrongProxy =>
  changesContent(
    `replaces the content and the fields of ${status}, and keeps the status`,
    status === 418 ? differing(status) : named(status),
    (_content, response) => {
      if (response.status !== status) return undefined;
      response.fields = [['Content-Type', 'text/html']];
      return Buffer.from(`<h1>${response.status}</h1>`);
    },
  );

const location = (name: string, change: (value: string) => string | undefined): WrongProxy =>
  wrong(name, differing(302), changingValue('location', change));

export const statuses: readonly WrongProxy[] = [
  ...[418, 421, 425, 451, 500, 503, 599].map(ownPage),
  changesContent('removes the content of 201', differing(201), (_, { status }) =>
    status === 201 ? Buffer.alloc(0) : undefined,
  ),
  wrong('replaces 599 by 598', named(599), changingStatus(599, 598)),
  wrong('replaces 204 by 205', named(204), changingStatus(204, 205)),
  wrong('replaces 302 by 307', named(302), changingStatus(302, 307)),
  location('removes Location of a redirect', () => undefined),
  location('makes Location one of another path', (value) => `/app${value}`),
  location('makes Location one of the origin', (value) => `http://10.0.0.1:8080${value}`),
  wrong('answers 421 with a success of its own', named(421), {
    ...changingContent(() => undefined),
    response: (response) => {
      if (response.status !== 421) return;
      response.status = 200;
      response.fields = [];
      replaceContent(response, Buffer.from('OK'), ['Content-Type', 'text/plain']);
    },
  }),
  wrong('tries again after 503, and responds with 502', named(503), {
    retries: (_request, failure, attempt) => failure === 503 && attempt < 3,
    ...changingStatus(503, 502),
  }),
  changesResponse(
    'takes 204 for chunked content',
    'http/1.1 response/204-without-content',
    (response) => {
      if (response.status === 204) response.framing = 'chunked';
    },
  ),
  changesResponse(
    'sends Content-Length: 0 with 204 on HTTP/2 only',
    'h2 response/204-without-content',
    (response, { version }) => {
      if (response.status === 204 && version === '2.0')
        response.fields.push(['Content-Length', '0']);
    },
  ),
];
