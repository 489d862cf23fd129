import { helloFacts, type StoredHello } from '../../net/client-hello/kept.ts';
import { versionName } from '../../net/tls-names.ts';

/** What of a ClientHello says who sent it and what it would have taken. */
export interface HelloView {
  readonly sni: string | null;
  readonly ja4: string | null;
  readonly alpn_offered: readonly string[] | null;
  readonly versions_offered: readonly string[] | null;
}

/** @returns nulls for what was not sent, all of them for what is no ClientHello */
export function helloView(hello: StoredHello | undefined): HelloView {
  const facts = hello && helloFacts(hello);
  return {
    sni: facts?.serverName ?? null,
    ja4: facts?.ja4 ?? null,
    alpn_offered: facts?.alpn ?? null,
    versions_offered: facts?.versions.map(versionName) ?? null,
  };
}
