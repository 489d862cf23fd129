import { expect, test } from 'vitest';
import { capabilitiesOf, checksFor, QUESTIONS } from '../../src/check/capabilities.ts';
import { checks } from '../../src/check/catalogue/all.ts';
import { bench } from './_run.ts';
import { HTTP2_ORIGIN } from './_wrong-leg.ts';
import { onRequest, onResponse, type Setup, type WrongProxy } from './_wrong.ts';
import { UPGRADING } from './wrong/websocket.ts';

const started = bench();

const CLEARTEXT: Setup = { scheme: 'http' };

/** The answers of a run through a gateway, and the words of those that are asked for. */
async function answersOf(
  setup: Setup,
  gateway: Partial<WrongProxy>,
  about: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const asked = QUESTIONS.filter(({ id }) => about.includes(id));
  const needed = new Set<string>(asked.flatMap(checksFor));
  const chosen = checks.filter(({ id, isSlow }) => needed.has(id) && isSlow !== true);
  const proxy = await started().gateway(setup, gateway);
  const { facts, results } = await started().run(proxy, chosen);
  return Object.fromEntries(
    capabilitiesOf({ facts, results, isInterrupted: false })
      .filter(({ id }) => about.includes(id))
      .map(({ id, answer, words }) => [id, [answer, words].filter(Boolean).join(': ')]),
  );
}

test('a gateway on HTTP/1.1 that is correct', { timeout: 60_000 }, async () => {
  const about = QUESTIONS.map(({ id }) => id);
  expect(await answersOf(CLEARTEXT, { deviation: {} }, about)).toMatchInlineSnapshot(`
    {
      "caching": "no: responses are not reused",
      "client-address": "yes: x-forwarded-for",
      "compression": "no",
      "get-retried": "no: after 503, after close, after reset",
      "grpc-status": "not seen: the origin receives no call of gRPC on HTTP/2",
      "grpc-streams": "not seen: the origin receives no call of gRPC on HTTP/2",
      "grpc-unary": "not seen: the origin receives no call of gRPC on HTTP/2",
      "interim": "yes: 103, 102",
      "largest-field": "yes: at least 30 KiB: the origin refuses more",
      "largest-upload": "yes: at least 1 MiB; more with --slow",
      "origin-http2": "no: http/1.1",
      "origin-reuse": "no: one connection for each request",
      "post-retried": "no: after 503, after close, after reset, after another status",
      "ranges": "yes: one, several, If-Range",
      "request-trailers": "yes",
      "response-trailers": "yes",
      "tls": "not seen: the URL is not https",
      "upload-streamed": "yes",
      "websocket-h2": "no: SETTINGS_ENABLE_CONNECT_PROTOCOL is not offered",
      "websocket-http1": "no: without Upgrade",
    }
  `);
});

test('a gateway with an origin on HTTP/2 that is correct', { timeout: 60_000 }, async () => {
  const about = ['origin-http2', 'grpc-unary', 'grpc-streams', 'grpc-status', 'websocket-http1'];
  expect(await answersOf(HTTP2_ORIGIN, { deviation: {} }, about)).toMatchInlineSnapshot(`
    {
      "grpc-status": "yes: in trailers, without messages",
      "grpc-streams": "yes: of the client, both ways, early status",
      "grpc-unary": "yes",
      "origin-http2": "yes: h2c",
      "websocket-http1": "not seen: the origin receives HTTP/2",
    }
  `);
});

test('a gateway that forwards WebSockets', { timeout: 60_000 }, async () => {
  const about = ['websocket-http1', 'websocket-h2'];
  expect(await answersOf(UPGRADING, {}, about)).toMatchInlineSnapshot(`
    {
      "websocket-h2": "yes",
      "websocket-http1": "yes",
    }
  `);
});

test('a gateway that sends POST again after 503', async () => {
  const deviation = {
    retries: (
      { method }: { readonly method: string },
      failure: number | 'closed',
      attempt: number,
    ) => method === 'POST' && failure === 503 && attempt < 3,
  };
  const about = ['post-retried', 'get-retried'];
  expect(await answersOf(CLEARTEXT, { deviation }, about)).toMatchInlineSnapshot(`
    {
      "get-retried": "no: after 503, after close, after reset",
      "post-retried": "partly: yes after 503: 2 attempts; no after close, after reset, after another status",
    }
  `);
});

test('a gateway that sends all again', async () => {
  const deviation = {
    retries: (_request: unknown, failure: number | 'closed', attempt: number) =>
      (failure === 'closed' || failure >= 400) && attempt < 3,
  };
  const about = ['post-retried', 'get-retried'];
  expect(await answersOf(CLEARTEXT, { deviation }, about)).toMatchInlineSnapshot(`
    {
      "get-retried": "yes: after 503, after close, after reset: 2 attempts, 200",
      "post-retried": "yes: after 503, after close, after reset: 2 attempts; after another status: more after 403, 404, 409, 429, 500, 502, 504",
    }
  `);
});

test('gateways that drop trailers', async () => {
  const about = ['request-trailers', 'response-trailers'];
  const ofRequests = {
    ...onRequest(({ trailers }) => void trailers.splice(0)),
    waitsForRequest: () => true,
  };
  expect(await answersOf(CLEARTEXT, { deviation: ofRequests }, about)).toMatchInlineSnapshot(`
    {
      "request-trailers": "no: dropped",
      "response-trailers": "yes",
    }
  `);
  const ofResponses = {
    ...onResponse(({ trailers }) => void trailers.splice(0)),
    waitsForResponse: () => true,
  };
  expect(await answersOf(CLEARTEXT, { deviation: ofResponses }, about)).toMatchInlineSnapshot(`
    {
      "request-trailers": "yes",
      "response-trailers": "no: dropped",
    }
  `);
});

test('gateways that lose gRPC', { timeout: 60_000 }, async () => {
  const about = ['grpc-unary', 'grpc-streams', 'grpc-status'];
  expect(await answersOf(HTTP2_ORIGIN, { leg: { trailers: () => [] } }, about))
    .toMatchInlineSnapshot(`
      {
        "grpc-status": "partly: no in trailers: grpc-status, grpc-message, grpc-status-details-bin, check-ascii, check-bin, check-twice missing; yes without messages",
        "grpc-streams": "yes: of the client, both ways, early status",
        "grpc-unary": "no: grpc-status, grpc-message, grpc-status-details-bin, check-ascii, check-bin, check-twice missing",
      }
    `);
  expect(await answersOf(HTTP2_ORIGIN, { deviation: { holdsResponse: () => true } }, about))
    .toMatchInlineSnapshot(`
    {
      "grpc-status": "yes: in trailers, without messages",
      "grpc-streams": "partly: yes of the client, early status; no both ways: messages of the origin held back while the call is open",
      "grpc-unary": "yes",
    }
  `);
});

test('gateways that lose WebSockets', { timeout: 60_000 }, async () => {
  const about = ['websocket-http1', 'websocket-h2'];
  expect(await answersOf(UPGRADING, { deviation: {} }, about)).toMatchInlineSnapshot(`
    {
      "websocket-h2": "no: SETTINGS_ENABLE_CONNECT_PROTOCOL is not offered",
      "websocket-http1": "no: without Upgrade",
    }
  `);
  const drops = { upgrade: { drops: ['sec-websocket-accept'] } };
  expect(await answersOf(UPGRADING, { deviation: drops }, about)).toMatchInlineSnapshot(`
    {
      "websocket-h2": "yes",
      "websocket-http1": "no: handshake: websocket, upgrade, ",
    }
  `);
});
