import { createPrivateKey, X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { Networks, unmapAddress } from '../http/ip-address.ts';
import { didYouMean, meantOrigins, nearest } from '../http/nearest.ts';
import { quoted } from '../pages/curl.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { unlessInterrupted } from './exit.ts';
import { readInput, unusable } from './files.ts';
import type { CheckOptions } from './options.ts';
import type { RunningOrigin } from './own-origin.ts';
import { addressOf } from './path-prefix.ts';
import { NotTestable } from './probe.ts';
import type { Streams } from './streams.ts';
import { hostOf, type TargetOptions } from './target.ts';
import { errorText } from '../net/error-text.ts';

/**
 * The target, and the options of connections to it.
 *
 * @param positionals the URL, unless wirebin starts the origin itself
 * @throws SettingsError
 */
export function targetOptions(
  options: CheckOptions,
  positionals: readonly string[],
  origin: RunningOrigin | undefined,
): TargetOptions {
  const { insecure, self, proxyProtocol, control } = options;
  return {
    ...connectionOptions(options),
    url: targetUrl(options.self, positionals, origin),
    insecure: insecure || self,
    proxyProtocol: proxyProtocol === 'off' ? undefined : proxyProtocol,
    origins: origin ? [origin.url] : options.origin.map((each) => httpUrl(each, '--origin')),
    control: origin?.control ?? control,
  };
}

/** Options for all connections to the target. @throws SettingsError */
export function connectionOptions(
  options: Pick<CheckOptions, 'resolve' | 'insecure' | 'cacert' | 'cert' | 'key'>,
): Omit<TargetOptions, 'url'> {
  const { resolve, insecure, cacert } = options;
  return {
    address: resolve,
    insecure,
    ca: cacert === undefined ? undefined : readCertificate(cacert).pem,
    ...readClientCertificate(options),
  };
}

/** Checks that options for an origin elsewhere are not used with an own one. @throws SettingsError */
export function expectNoContradiction(
  { self, serve, origin, control, resolve }: CheckOptions,
  positionals: readonly string[],
  program: string,
): void {
  const [url, ...extra] = positionals;
  const words = ['explain', 'show', 'diff', '--list', '--help'];
  if (url !== undefined) expectUrl(url, words, `${program} check`);
  if (extra.length > 0) {
    const other = extra.join(' ');
    const hint = /^https?:\S+$/.test(other) ? `; ${didYouMean(`--origin ${other}`)}` : '';
    throw new SettingsError(`unexpected argument ${other}${hint}`);
  }
  if (self && url !== undefined) throw new SettingsError('--self takes no URL');
  const starter = self ? '--self' : serve > 0 ? '--serve' : undefined;
  if (starter === undefined) return;
  const others = { origin, control, ...(self && { resolve }) };
  for (const [name, value] of Object.entries(others)) {
    if (value === undefined || value.length === 0) continue;
    throw new SettingsError(`${starter} starts an origin of its own, and takes no --${name}`);
  }
}

function targetUrl(
  self: boolean,
  [text]: readonly string[],
  origin: RunningOrigin | undefined,
): URL {
  if (self && origin) return origin.url;
  if (text === undefined)
    throw new SettingsError('the URL of the target is required; see wirebin check --help');
  return httpUrl(text);
}

/**
 * Checks the first argument.
 *
 * @param words that may be meant instead of a URL
 * @param command with which the user has called this program
 * @throws SettingsError
 */
export function expectUrl(text: string, words: readonly string[], command: string): void {
  const near = /[.:/]/.test(text) ? undefined : nearest(text, words);
  const meant = text.endsWith('.json') ? `${command} show ${quoted(text)}` : near;
  if (meant === undefined) httpUrl(text);
  else throw new SettingsError(`${text} is no http or https URL; ${didYouMean(meant)}`);
}

/** Parses an HTTP URL. @param option the option with this value; undefined for an argument @throws SettingsError */
export function httpUrl(text: string, option?: string): URL {
  const what = option === undefined ? text : `${option} ${text}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    const meant = meantOrigins(text);
    const hint = meant.length > 0 ? `; ${didYouMean(...meant)}` : '';
    throw new SettingsError(`${what} is no http or https URL${hint}`);
  }
  const { username, password, search, hash } = url;
  if (`${username}${password}${search}${hash}` !== '') {
    throw new SettingsError(
      `${what} cannot be used: only a path may follow the port; ${didYouMean(addressOf(url))}`,
    );
  }
  return url;
}

/** Reads --cacert. @throws SettingsError if the file contains no PEM certificate */
function readCertificate(path: string) {
  const pem = readInput(path);
  try {
    return { pem, certificate: new X509Certificate(pem) };
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Reads --cert and --key. @throws SettingsError if they are not a certificate and its key */
function readClientCertificate({
  cert: certPath,
  key: keyPath,
}: Pick<CheckOptions, 'cert' | 'key'>) {
  if ((certPath === undefined) !== (keyPath === undefined))
    throw new SettingsError('--cert and --key belong together');
  if (certPath === undefined || keyPath === undefined) return {};
  const { pem: cert, certificate } = readCertificate(certPath);
  const key = readInput(keyPath);
  let isPair: boolean;
  try {
    isPair = certificate.checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw unusable(keyPath, error);
  }
  if (!isPair) throw new SettingsError(`${keyPath} is not the private key of ${certPath}`);
  return { cert, key };
}

const LOCAL = [
  '127.0.0.0/8',
  '::1/128',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
];

/**
 * Asks the user for confirmation before a target is tested that may belong to others.
 *
 * @throws NotTestable if its name cannot be resolved
 * @throws SettingsError if the answer is not yes
 */
export async function confirm(
  { url, address }: TargetOptions,
  verb: 'check' | 'load',
  { ask, signal }: Streams,
): Promise<void> {
  const host = address ?? hostOf(url);
  const found = await lookup(host, { all: true }).catch((error: unknown) => {
    throw new NotTestable(`cannot connect to the target: ${errorText(error)}`);
  });
  const local = new Networks();
  for (const range of LOCAL) local.add(range);
  const foreign = found.find((each) => !local.has(unmapAddress(each.address)));
  if (!foreign) return;
  const fact = `${url.origin} (${foreign.address}) is neither loopback nor private.`;
  const question = `${fact} ${verb === 'check' ? 'Check' : 'Load'} it?`;
  if (!ask) throw new SettingsError(`${question} Confirm with --yes`);
  const answer = await unlessInterrupted(ask(`${question} [y/N] `), signal);
  if (!/^y(?:es)?$/i.test(answer)) throw new SettingsError(`not ${verb}ed`);
}
