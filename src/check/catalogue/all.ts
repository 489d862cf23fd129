import type { Check } from '../check.ts';
import { cancelChecks, connectionChecks, streamingChecks } from './connection.ts';
import { cookieChecks, fieldChecks } from './field.ts';
import { flowChecks } from './flow.ts';
import { framingChecks } from './framing.ts';
import { goawayChecks } from './goaway.ts';
import { http2ConnectionChecks } from './h2-connection.ts';
import { http2FrameChecks } from './h2-frame.ts';
import { http2RequestChecks } from './h2-request.ts';
import { hopChecks } from './hop.ts';
import { forwardingChecks, hostChecks } from './host.ts';
import { expectChecks, interimChecks } from './interim.ts';
import { contentChecks, methodChecks } from './method.ts';
import { originChecks } from './origin.ts';
import { codingChecks, responseChecks } from './response.ts';
import { retryChecks } from './retry.ts';
import { targetChecks } from './target.ts';
import { trailerChecks } from './trailer.ts';
import { tlsHelloChecks } from './tls-hello.ts';
import { tlsOriginChecks } from './tls-origin.ts';
import { tlsChecks } from './tls.ts';
import { truncationChecks } from './truncation.ts';
import { limitChecks, upgradeChecks } from './upgrade.ts';

/** Every check, in the order of the report. A check comes after those that it depends on. */
export const checks: readonly Check[] = [
  ...framingChecks,
  ...hopChecks,
  ...fieldChecks,
  ...cookieChecks,
  ...targetChecks,
  ...hostChecks,
  ...forwardingChecks,
  ...methodChecks,
  ...expectChecks,
  ...interimChecks,
  ...responseChecks,
  ...codingChecks,
  ...trailerChecks,
  ...contentChecks,
  ...truncationChecks,
  ...originChecks,
  ...retryChecks,
  ...connectionChecks,
  ...cancelChecks,
  ...streamingChecks,
  ...flowChecks,
  ...goawayChecks,
  ...http2RequestChecks,
  ...http2FrameChecks,
  ...http2ConnectionChecks,
  ...tlsHelloChecks,
  ...tlsChecks,
  ...tlsOriginChecks,
  ...upgradeChecks,
  ...limitChecks,
];
