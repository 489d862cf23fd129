import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { Client, Received } from '../_client.ts';

export type Parameters = Record<string, string>;

const HASHES: Record<string, string> = {
  MD5: 'md5',
  'SHA-256': 'sha256',
  'SHA-512-256': 'sha512-256',
  'SHA-512': 'sha512',
};

/** The parameters of a response's challenge. */
export function challengeOf({ status, headers }: Received): Parameters {
  expect(status).toBe(401);
  const field = headers['www-authenticate'] ?? '';
  expect(field).toMatch(/^Digest /);
  const found = [...field.slice(7).matchAll(/(\w+)=(?:"([^"]*)"|([\w-]+))(?:, |$)/g)];
  return Object.fromEntries(
    found.map(([, name = '', quoted, token = '']) => [name, quoted ?? token]),
  );
}

interface Given {
  readonly user?: string;
  readonly passwd?: string;
  readonly method?: string;
  readonly content?: string;
  readonly nc?: number;
  /** Parameters that differ from the signed ones. */
  readonly changed?: Parameters;
  readonly left?: string;
}

/** A client's credentials (RFC 7616 3.4), implemented independently of src. */
export function credentials(target: string, challenge: Parameters, given: Given = {}): string {
  const { realm = '', nonce = '', qop: offered = '', algorithm = '' } = challenge;
  const { user = 'user', passwd = 'passwd', method = 'GET', content = '' } = given;
  const hash = (...texts: string[]) =>
    createHash(HASHES[algorithm.replace(/-sess$/, '')] ?? '')
      .update(texts.join(':'))
      .digest('hex');
  const [qop = ''] = offered.split(',');
  const nc = (given.nc ?? 1).toString(16).padStart(8, '0');
  const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv';
  const account = hash(user, realm, passwd);
  const key = algorithm.endsWith('-sess') ? hash(account, nonce, cnonce) : account;
  const message = qop === 'auth-int' ? [method, target, hash(content)] : [method, target];
  const response = hash(key, nonce, nc, cnonce, qop, hash(...message));
  const name = challenge['userhash'] === 'true' ? hash(user, realm) : user;
  const quoted = { username: name, realm, nonce, uri: target, cnonce, response };
  const tokens = { qop, nc, algorithm, ...(challenge['userhash'] && { userhash: 'true' }) };
  const sent = { ...quoted, ...tokens, ...given.changed };
  const list = Object.entries(sent)
    .filter(([parameter]) => parameter !== given.left)
    .map(([parameter, value]) => {
      const written = parameter in quoted ? `"${value.replace(/["\\]/g, '\\$&')}"` : value;
      return `${parameter}=${written}`;
    });
  return Buffer.from(`Digest ${list.join(', ')}`).toString('latin1');
}

/** Challenges and attempts of a client, by default the one shared by the tests. */
export function digest(client: () => Client) {
  return {
    challengeFor: async (target: string, on = client()) => challengeOf(await on.request(target)),
    attempt: async (target: string, challenge: Parameters, given: Given = {}, on = client()) =>
      on.request(target, {
        method: given.method ?? 'GET',
        headers: { authorization: credentials(target, challenge, given) },
        ...(given.content !== undefined && { body: given.content }),
      }),
  };
}
