import type { Check } from '../check.ts';
import { cancelChecks, connectionChecks, streamingChecks } from './connection.ts';
import { originChecks, retryChecks, truncationChecks } from './faults.ts';
import { cookieChecks, fieldChecks } from './field.ts';
import { framingChecks } from './framing.ts';
import { http2Checks } from './h2.ts';
import { hopChecks } from './hop.ts';
import { forwardingChecks, hostChecks } from './host.ts';
import { expectChecks, interimChecks } from './interim.ts';
import { contentChecks, methodChecks } from './method.ts';
import { codingChecks, responseChecks } from './response.ts';
import { targetChecks } from './target.ts';
import { trailerChecks } from './trailer.ts';
import { limitChecks, tlsChecks, upgradeChecks } from './upgrade.ts';

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
  ...http2Checks,
  ...tlsChecks,
  ...upgradeChecks,
  ...limitChecks,
];
