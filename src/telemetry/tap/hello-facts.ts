import { helloFacts, type StoredHello } from '../../net/client-hello/kept.ts';
import { versionName } from '../../net/tls-names.ts';

/** The client's identity and offers from a ClientHello, as shown in events. */
export interface HelloView {
  readonly sni: string | null;
  readonly ja4: string | null;
  readonly alpn_offered: readonly string[] | null;
  readonly versions_offered: readonly string[] | null;
}

/** @returns null for each missing part; all null without a valid ClientHello */
export function helloView(hello: StoredHello | undefined): HelloView {
  const facts = hello && helloFacts(hello);
  return {
    sni: facts?.serverName ?? null,
    ja4: facts?.ja4 ?? null,
    alpn_offered: facts?.alpn ?? null,
    versions_offered: facts?.versions.map(versionName) ?? null,
  };
}
