import { topic } from '../check.ts';
import { expectSame, pass } from '../verdict.ts';
import { valuesOf, type Transfer } from '../message.ts';
import { received } from './received.ts';

const COOKIE = { level: 'must', risk: 'security', section: 'RFC 6265 5.4' } as const;

const COOKIES = 'a=1; b=2; c="3 4"';

/** The Set-Cookie lines of these cookies: a gateway may add one of its own, by which it finds the same backend again. */
export function cookieLines({ response }: Transfer, ...names: readonly string[]): string[] {
  return valuesOf(response?.fields ?? [], 'set-cookie').filter((line) =>
    names.some((name) => line.startsWith(`${name}=`)),
  );
}

/** Cookies in both directions (RFC 6265, RFC 9113 8.2.3). */
export const cookieChecks = topic(COOKIE, [
  received({
    id: 'cookie/request',
    rule: 'Cookie is forwarded unchanged.',
    request: { fields: [['Cookie', COOKIES]] },
    judge: ({ fields, version }, { transfer }) => {
      const lines = valuesOf(fields, 'cookie');
      // RFC 9113 8.2.3: on HTTP/2 each pair may be a line of its own.
      return expectSame(COOKIES, lines.join(version === 'HTTP/2.0' ? '; ' : ' | '), transfer);
    },
  }),
  received({
    id: 'cookie/equal-names',
    rule: 'Two cookies of one name are both forwarded, in their order.',
    request: { fields: [['Cookie', 'a=1; b=2; a=3']] },
    judge: ({ fields, version }, { transfer }) => {
      const lines = valuesOf(fields, 'cookie').join(version === 'HTTP/2.0' ? '; ' : ' | ');
      return expectSame('a=1; b=2; a=3', lines, transfer);
    },
  }),
  received({
    id: 'cookie/crumbs',
    section: 'RFC 9113 8.2.3',
    rule: 'Several HTTP/2 cookie fields are joined with "; " for an HTTP/1.1 origin.',
    fronts: ['h2'],
    needs: ['gateway', 'http1-origin'],
    after: ['cookie/request'],
    request: {
      fields: [
        ['cookie', 'a=1'],
        ['cookie', 'b=2'],
        ['cookie', 'c=3'],
      ],
    },
    judge: ({ fields }, { transfer }) =>
      expectSame('a=1; b=2; c=3', valuesOf(fields, 'cookie').join(' | '), transfer),
  }),
  {
    id: 'cookie/attributes',
    section: 'RFC 6265 4.1.2',
    rule: 'The attributes of Set-Cookie are forwarded unchanged, unless the gateway is configured to change them.',
    level: 'quality',
    async run(session) {
      const cookie =
        'a="1"; Path=/x; Domain=example.com; Max-Age=1; Secure; HttpOnly; SameSite=None; Partitioned';
      const transfer = await session.send({
        target: `/response-headers?Set-Cookie=${encodeURIComponent(cookie)}`,
      });
      const found = cookieLines(transfer, 'a').join(' | ') || 'no Set-Cookie';
      // See cookie/prefix-path.
      const { prefix } = session.target;
      const isBelow = prefix !== '' && found === cookie.replace('Path=', `Path=${prefix}`);
      return isBelow ? pass(found) : expectSame(cookie, found, transfer);
    },
  },
  {
    id: 'cookie/set-cookie',
    section: 'RFC 9110 5.3',
    rule: 'Several Set-Cookie lines are neither combined nor reordered, also two of one name for different paths.',
    async run(session) {
      const cookies = ['a=1;Path=/', 'b=2,3', 'c=4', 'a=5;Path=/check'];
      const query = cookies.map((cookie) => `Set-Cookie=${encodeURIComponent(cookie)}`);
      const transfer = await session.send({ target: `/response-headers?${query.join('&')}` });
      const lines = cookieLines(transfer, 'a', 'b', 'c');
      const found = lines.map((line) => line.split(';')[0]).join(' | ');
      return expectSame('a=1 | b=2,3 | c=4 | a=5', found, transfer);
    },
  },
]);
