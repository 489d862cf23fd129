import { parseClientHello } from '../wire/client-hello-parser.ts';
import { ja4 } from '../wire/fingerprints.ts';
import { versionName } from '../wire/tls-names.ts';

/** What of a ClientHello says who sent it and what it would have taken. */
export interface HelloFacts {
  readonly sni: string | null;
  readonly ja4: string | null;
  readonly alpn_offered: readonly string[] | null;
  readonly versions_offered: readonly string[] | null;
}

/** Names of a list that are told; a list may have thousands. */
const MOST_NAMES = 20;
const MOST_CHARACTERS = 255;

/** @returns nulls for what was not sent, all of them for what is no ClientHello */
export function helloFacts(records: Uint8Array | undefined): HelloFacts {
  const hello = records && parseClientHello(records);
  if (!hello) return { sni: null, ja4: null, alpn_offered: null, versions_offered: null };
  const { serverName, alpn, supportedVersions, legacyVersion } = hello;
  return {
    sni: serverName?.slice(0, MOST_CHARACTERS) ?? null,
    ja4: ja4(hello).ja4,
    alpn_offered: alpn?.slice(0, MOST_NAMES) ?? null,
    versions_offered: (supportedVersions ?? [legacyVersion]).slice(0, MOST_NAMES).map(versionName),
  };
}
