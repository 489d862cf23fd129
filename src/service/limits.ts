import type { Settings } from '../settings/settings.ts';
import type { Limits } from '../server/limits.ts';
import { LINGER_TIMEOUT } from '../net/lingering-close.ts';

export const SECOND = 1000;
/** Milliseconds without data until an HTTP/2 session is sent a PING, and then until it is closed. */
const SILENCE = 10 * SECOND;

/** Milliseconds between checks of connection timeouts. */
const SWEEP_INTERVAL = SECOND;
/** Maximum bytes of pipelined requests that wait for earlier responses, on all connections. */
const MAX_UNREAD = 64 * 1024 * 1024;

/** Converts settings to the limits of connections, requests and responses. */
export function limitsOf(settings: Settings): Limits {
  const { maxFields, maxHeaderSize, maxStreams } = settings;
  const { maxResets, maxControlFrames } = settings;
  return {
    maxFields,
    maxHeaderSize,
    headerTimeout: milliseconds(settings.headerTimeout),
    requestTimeout: milliseconds(settings.requestTimeout),
    idleTimeout: milliseconds(settings.idleTimeout),
    stallTimeout: milliseconds(settings.stallTimeout),
    answerTimeout: milliseconds(settings.answerTimeout),
    silence: SILENCE,
    sweepInterval: SWEEP_INTERVAL,
    lingerTime: LINGER_TIMEOUT,
    maxRequests: settings.maxRequestsPerConnection || Infinity,
    maxConnectionAge: milliseconds(settings.maxConnectionAge) || Infinity,
    maxUnread: MAX_UNREAD,
    maxStreams,
    initialWindowSize: settings.h2InitialWindowSize,
    maxFrameSize: settings.h2MaxFrameSize,
    headerTableSize: settings.h2HeaderTableSize,
    enableConnectProtocol: settings.h2EnableConnectProtocol,
    // Rounded, because Node's maxSessionMemory is in whole MB.
    maxSessionMemory: Math.floor(settings.maxSessionMemory),
    maxResets,
    maxControlFrames,
  };
}

/** Converts settings to options of the listener. */
export function listenerSettingsOf(
  { maxConnections, proxyProtocol, trustProxy }: Settings,
  { headerTimeout, sweepInterval }: Limits,
) {
  return {
    headerTimeout,
    sweepInterval: sweepInterval / 2,
    maxConnections: maxConnections || Infinity,
    proxyProtocol,
    trustProxy,
  };
}

/** Milliseconds as integer for Node's timeouts, because seconds may have a fraction. */
function milliseconds(seconds: number): number {
  return Math.round(seconds * SECOND);
}
