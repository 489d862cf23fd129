import { expect, test } from 'vitest';
import { werkzeugCookies } from '../src/dialects/httpbin/cookies.ts';
import { acceptDeflate } from '../src/http/websocket.ts';
import { redactField, redactTarget } from '../src/telemetry/tap/redaction.ts';
import { withoutPadding } from '../src/wire/grpc/fields.ts';

// Lint checks regular expressions that are literals (scripts/linear-regexps.mjs). Those that are put together, and
// those that were quadratic, are measured here with the texts that a checker (recheck 4.5) found to be the worst.

const LENGTH = 64_000;
const fill = (text: string): string => text.repeat(LENGTH / text.length);

const redacted = [
  'BASIC-AUTH;D',
  'digest-auth;G',
  'eyJyyeyJ-Je',
  'cookies\\',
  'a:',
  'token=',
  'basic ',
]
  .map(fill)
  .flatMap((text) => [
    [`redactTarget, ${text.slice(0, 12)}`, () => redactTarget(`/${text}?${text}`)] as const,
    [`redactField, ${text.slice(0, 12)}`, () => redactField('x-a', text)] as const,
  ]);

const cases: readonly (readonly [name: string, act: () => unknown])[] = [
  ['werkzeugCookies, spaces', () => werkzeugCookies(`a=${fill('\t')}"`)],
  ['werkzeugCookies, quotes', () => werkzeugCookies(fill('a="\\";'))],
  ['withoutPadding', () => withoutPadding(`${fill('=')}x`)],
  ['acceptDeflate', () => acceptDeflate(['Sec-WebSocket-Extensions', `a${fill('\t')}="`])],
  ...redacted,
];

test.each(cases)('%s: 64 KB take no more than 50 ms', (_, act) => {
  const times = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage();
    act();
    return process.cpuUsage(start).user / 1000;
  });
  expect(Math.min(...times)).toBeLessThan(50);
});
