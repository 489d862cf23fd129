import { createHmac } from 'node:crypto';
import { authorizationParameters } from '../../http/authorization.ts';
import type { Request } from '../../server/request.ts';
import { forwardedOrigin } from '../forwarded.ts';

/** The credentials that Postman publishes for /auth/hawk. */
const ID = 'dh37fgj492je';
const KEY = 'werxhqb98rpaxn39848xrunpaw3489ruxnpa98w4rxn';

/** Seconds by which the client's clock may differ, as in the Hawk library. */
const MAX_SKEW = 60;

/** Why the Hawk credentials of a request are invalid; undefined if they are valid. @param now in seconds */
export function whyNotHawk(request: Request, now: number): string | undefined {
  const sent = authorizationParameters(request.fields, 'hawk');
  const [id, ts, nonce, mac] = ['id', 'ts', 'nonce', 'mac'].map((name) => sent?.get(name) ?? '');
  if (!sent || !id || !ts || !nonce || !mac) return 'the request has no Hawk credentials';
  if (id !== ID) return `the id must be ${ID}`;
  const expected = createHmac('sha256', KEY).update(signedText(request, sent)).digest('base64');
  if (mac !== expected) return 'the mac does not match the key';
  return Math.abs(Number(ts) - now) <= MAX_SKEW
    ? undefined
    : `the ts is not within ${MAX_SKEW} seconds of the clock`;
}

/** Hawk's normalized request string, of which `mac` is the HMAC. */
function signedText(request: Request, sent: ReadonlyMap<string, string>): string {
  const { method, target } = request;
  const [, scheme = '', authority = ''] =
    /^([a-z]+):\/\/(.*)$/.exec(forwardedOrigin(request)) ?? [];
  const [, host = '', port = scheme === 'https' ? '443' : '80'] =
    /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(authority) ?? [];
  const value = (name: string): string => sent.get(name) ?? '';
  const ext = value('ext').replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  const resource = target?.form === 'origin' ? target.raw : (target?.path ?? '');
  const lines = ['hawk.1.header', value('ts'), value('nonce'), method.toUpperCase(), resource];
  lines.push(host.toLowerCase(), port, value('hash'), ext);
  if (sent.has('app')) lines.push(value('app'), value('dlg'));
  return `${lines.join('\n')}\n`;
}
