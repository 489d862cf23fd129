import type { Request } from '../server/request.ts';
import { fieldValue, type FieldLines } from '../http/fields.ts';
import type { Connection } from '../net/connection.ts';
import { akamaiFingerprint, md5 } from '../net/fingerprints.ts';
import { parseClientPreface, type ClientPreface, type Frame } from '../net/client-preface.ts';
import { DEFAULT_WINDOW } from '../wire/http2/frame.ts';
import type { FramePayload } from '../wire/http2/frame-payload.ts';
import { frameTypeName, settingName } from '../wire/http2/names.ts';
import { hex } from '../wire/tls/names.ts';
import type { FrameView, Http2Details, Http2View } from './http2-schema.ts';

const UNLIMITED = 2 ** 32 - 1;

/** Cache of the view by connection, because the order of pseudo-header fields rarely changes. */
const cache = new WeakMap<Connection, { order: readonly string[]; view: Http2View }>();

/** The `http2` object of the echo; undefined on HTTP/1.x. */
export function http2View(request: Request): Http2View | undefined {
  return request.version === 'HTTP/2.0' ? cachedView(request) : undefined;
}

function cachedView({ fields, connection, stream }: Request): Http2View {
  const cached = cache.get(connection);
  if (cached && hasPseudoHeaders(fields, cached.order)) return cached.view;
  const names = pseudoHeaders(fields);
  const preface = parseClientPreface(stream?.opening.frames);
  const { settings, priorities } = preface.opening;
  const increment = windowIncrement(preface, stream?.opening.sendWindow);
  const fingerprint = akamaiFingerprint({ settings, increment, priorities }, names);
  const view = {
    akamai_fingerprint: fingerprint,
    akamai_fingerprint_hash: md5(fingerprint),
    first_flight: firstFlightView(preface),
  };
  cache.set(connection, { order: names, view });
  return view;
}

/** HTTP/2 facts of a request: the client's first frames, and the current state. */
export function http2Details(request: Request): Http2Details {
  const { stream, fields, version } = request;
  if (!stream) return { http2: null, reason: `the request uses ${version}` };
  const preface = parseClientPreface(stream.opening.frames);
  const windows = stream.windows();
  const serverSettings = stream.session.acknowledgedSettings;
  return {
    http2: {
      ...cachedView(request),
      // They are always captured: nghttp2 accepts at most 32 settings, which are 192 bytes.
      settings: (preface.opening.settings ?? []).map(({ id, value }) => ({
        name: settingName(id),
        id: hex(id),
        value,
      })),
      ...(serverSettings && { server_settings: settingsView(serverSettings) }),
      window_update: windowIncrement(preface, stream.opening.sendWindow),
      first_flight: { ...firstFlightView(preface), frames: preface.frames.map(frameView) },
      pseudo_headers: pseudoHeaders(fields),
      priority: fieldValue(fields, 'priority') ?? null,
      stream: stream.id,
      open_streams: stream.open,
      windows: windows && {
        connection: {
          to_client: windows.connection.toClient,
          to_server: windows.connection.toServer,
        },
        stream: {
          initial_to_client: windows.stream.initialToClient,
          to_server: windows.stream.toServer,
        },
      },
    },
  };
}

/** Settings, null if unlimited. Two are at first (RFC 9113 6.5.2), for which Node has 2^32 - 1. */
function settingsView(settings: Readonly<Record<string, number>>): Record<string, number | null> {
  const entries = Object.entries(settings);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value < UNLIMITED ? value : null]),
  );
}

/** Whether the fingerprint is complete, or may lack PRIORITY frames that were not captured. */
function firstFlightView({ missing }: ClientPreface): Http2View['first_flight'] {
  return missing === undefined ? { complete: true } : { complete: false, reason: missing };
}

/** Increment of the client's first WINDOW_UPDATE for the connection; computed from the window if not captured. */
function windowIncrement({ opening }: ClientPreface, sendWindow = DEFAULT_WINDOW): number {
  return opening.increment ?? sendWindow - DEFAULT_WINDOW;
}

function pseudoHeaders(lines: FieldLines): string[] {
  const names: string[] = [];
  for (let at = 0; lines[at]?.startsWith(':'); at += 2) names.push(lines[at] ?? '');
  return names;
}

/** Whether the section begins with these pseudo-header fields, and has no others. */
function hasPseudoHeaders(lines: FieldLines, names: readonly string[]): boolean {
  const end = 2 * names.length;
  for (let at = 0; at < end; at += 2) if (lines[at] !== names[at / 2]) return false;
  return !lines[end]?.startsWith(':');
}

function frameView({ type, flags, stream, length, payload }: Frame): FrameView {
  return {
    type: frameTypeName(type),
    flags: hex(flags, 1),
    stream,
    length,
    ...payloadView(payload),
  };
}

/** The view of a payload, for frames that the view does not show elsewhere. */
function payloadView(payload: FramePayload): Partial<FrameView> {
  switch (payload.kind) {
    case 'headers':
    case 'priority': {
      if (!payload.priority) return {};
      const { exclusive, dependsOn, weight } = payload.priority;
      return { exclusive, depends_on: dependsOn, weight };
    }
    case 'window-update':
      return { increment: payload.increment };
    case 'priority-update':
      return { prioritized_stream: payload.stream, priority: payload.value };
    default:
      return {};
  }
}
