import type { Check } from '../check.ts';
import { asFact } from '../verdict.ts';
import { PROFILES, type ProfileName } from '../profile.ts';
import { backendAfterChecks } from './backend-after.ts';
import { backendChecks } from './backend.ts';
import { backpressureChecks } from './backpressure.ts';
import { cacheRequestChecks, collapsingChecks } from './cache-request.ts';
import { cacheChecks } from './cache.ts';
import { cacheDirectiveChecks } from './cache-directives.ts';
import { cancelChecks } from './cancel.ts';
import { clientCertificateChecks } from './client-certificate.ts';
import { codingChecks } from './coding.ts';
import { connectionChecks } from './connection.ts';
import { drainChecks } from './drain.ts';
import { expectChecks } from './expect.ts';
import { cookieChecks } from './cookie.ts';
import { fieldChecks } from './field.ts';
import { fieldConditionChecks } from './field-condition.ts';
import { flowChecks } from './flow.ts';
import { framingChecks, framingFormChecks } from './framing.ts';
import { leftoverChecks, originChecks } from './origin.ts';
import { responseFieldChecks } from './response-field.ts';
import { goawayChecks } from './goaway.ts';
import { http2ConnectionChecks, http2FrameChecks } from './h2-frame.ts';
import { http2CanceledChecks } from './h2-canceled.ts';
import { http2FloodChecks } from './h2-flood.ts';
import { http2PaddingChecks } from './h2-padding.ts';
import { http2RequestChecks } from './h2-request.ts';
import { grpcCallChecks } from './grpc-call.ts';
import { grpcErrorChecks } from './grpc-error.ts';
import { grpcPaddingChecks } from './grpc-padding.ts';
import { grpcChecks } from './grpc.ts';
import { hopChecks } from './hop.ts';
import { forwardingChecks } from './forwarding.ts';
import { hostChecks } from './host.ts';
import { idleChecks, idleLadderChecks } from './idle.ts';
import { interimChecks } from './interim.ts';
import { contentChecks } from './content.ts';
import { contentFramingChecks } from './content-framing.ts';
import { connectChecks } from './method-connect.ts';
import { methodChecks } from './method.ts';
import { limitChecks } from './limit.ts';
import { longFieldChecks } from './long-field.ts';
import { manyRequestChecks } from './many-requests.ts';
import { prefixChecks } from './prefix.ts';
import { proxyOriginChecks } from './proxy-protocol-origin.ts';
import { proxyProtocolChecks } from './proxy-protocol.ts';
import { rangeChecks } from './range.ts';
import { responseChecks } from './response.ts';
import { retryChecks } from './retry.ts';
import { targetCharacterChecks, targetChecks } from './target.ts';
import { streamingChecks } from './streaming.ts';
import { trailerChecks } from './trailer.ts';
import { tlsHelloChecks } from './tls-hello.ts';
import { tlsOriginChecks } from './tls-origin.ts';
import { tlsChecks } from './tls.ts';
import { truncationChecks } from './truncation.ts';
import { tunnelChecks } from './tunnel.ts';
import { upgradeChecks } from './upgrade.ts';
import { websocketChecks } from './websocket.ts';
import { websocketConnectChecks } from './websocket-connect.ts';
import { websocketDeflateChecks } from './websocket-deflate.ts';
import { websocketEchoChecks } from './websocket-echo.ts';

/** Every check, in the order of the report. A check comes after those that it depends on. */
export const checks: readonly Check[] = [
  ...framingChecks,
  ...framingFormChecks,
  ...hopChecks,
  ...fieldChecks,
  ...fieldConditionChecks,
  ...cookieChecks,
  ...targetChecks,
  ...targetCharacterChecks,
  ...prefixChecks,
  ...hostChecks,
  ...forwardingChecks,
  ...methodChecks,
  ...connectChecks,
  ...expectChecks,
  ...interimChecks,
  ...responseChecks,
  ...rangeChecks,
  ...responseFieldChecks,
  ...codingChecks,
  ...cacheChecks,
  ...cacheRequestChecks,
  ...collapsingChecks,
  ...cacheDirectiveChecks,
  ...trailerChecks,
  ...contentChecks,
  ...contentFramingChecks,
  ...truncationChecks,
  ...originChecks,
  ...leftoverChecks,
  ...retryChecks,
  ...connectionChecks,
  ...manyRequestChecks,
  ...backendChecks,
  ...backendAfterChecks,
  ...idleChecks,
  ...idleLadderChecks(),
  ...drainChecks,
  ...cancelChecks,
  ...streamingChecks,
  ...backpressureChecks,
  ...flowChecks,
  ...goawayChecks,
  ...http2RequestChecks,
  ...http2FrameChecks,
  ...http2ConnectionChecks,
  ...http2PaddingChecks,
  ...http2CanceledChecks,
  ...http2FloodChecks,
  ...tlsHelloChecks,
  ...tlsChecks,
  ...tlsOriginChecks,
  ...clientCertificateChecks,
  ...proxyProtocolChecks,
  ...proxyOriginChecks,
  ...upgradeChecks,
  ...websocketChecks,
  ...websocketConnectChecks,
  ...websocketEchoChecks,
  ...websocketDeflateChecks,
  ...grpcChecks,
  ...grpcErrorChecks,
  ...grpcCallChecks,
  ...grpcPaddingChecks,
  ...limitChecks,
  ...longFieldChecks,
  ...tunnelChecks,
];

/** The checks of a profile, which says what kind of intermediary the target is meant to be. */
export function checksOf(profile: ProfileName): readonly Check[] {
  const { tolerates } = PROFILES[profile];
  return checks
    .filter(({ profiles }) => profiles?.includes(profile) ?? true)
    .filter(({ needs }) => profile !== 'tcp' || needs?.includes('gateway') !== true)
    .map((check) => (tolerates.includes(check.id) ? tolerant(check) : check));
}

/** A copy of the check that reports facts (`differs`) in place of findings, for a profile that tolerates them. */
function tolerant(check: Check): Check {
  return {
    ...check,
    run: async (session) => asFact(await check.run(session)),
  };
}
