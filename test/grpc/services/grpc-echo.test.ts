import { describe, expect, test } from 'vitest';
import { startService } from '../../_service.ts';
import { openSession } from '../_call.ts';
import { call } from '../_client.ts';

const SERVICE = 'gateway_api_conformance.echo_basic.grpcecho.GrpcEcho';

describe.each(['wirebin', 'gateway-api'])('in the dialect %s', (dialect) => {
  test.each([
    ['Echo', false],
    ['EchoTwo', true],
  ])('%s tells what arrived', async (method, isSecure) => {
    const pod = ['--namespace', 'ns', '--pod-name', 'web-0'];
    const { port } = await startService('--dialect', dialect, ...pod);
    const session = openSession(port, isSecure);
    const { messages } = await call(session, `${SERVICE}/${method}`, {}, { a: ['1', '2'] });
    const authority = `127.0.0.1:${port}`;
    expect(messages).toMatchObject([
      {
        assertions: {
          fully_qualified_method: `/${SERVICE}/${method}`,
          headers: [
            { key: ':authority', value: authority },
            { key: 'content-type', value: 'application/grpc' },
            { key: 'a', value: '1' },
            { key: 'a', value: '2' },
          ],
          authority,
          context: { namespace: 'ns', pod: 'web-0' },
        },
      },
    ]);
    const [{ assertions }] = messages as [{ assertions: { tls_assertions: unknown } }];
    if (!isSecure) expect(assertions).not.toHaveProperty('tls_assertions');
    else {
      expect(assertions.tls_assertions).toMatchObject({
        version: 'TLSv1.3',
        negotiated_protocol: 'h2',
        cipher_suite: expect.stringMatching(/^TLS_/),
      });
    }
  });
});

test('fields of the protocol are left out, and binary values that are UTF-8 decoded', async () => {
  const { port } = await startService();
  const reserved = {
    te: 'trailers',
    'grpc-timeout': '9S',
    'grpc-status': '1',
    'grpc-message': 'a',
  };
  const binary = { 'text-bin': 'w6k', 'bytes-bin': '/w', 'none-bin': '!' };
  const fields = { ...reserved, ...binary, host: 'a.example' };
  const { messages } = await call(openSession(port), `${SERVICE}/Echo`, {}, fields);
  const [{ assertions }] = messages as [{ assertions: { headers: unknown } }];
  expect(assertions.headers).toEqual([
    { key: ':authority', value: 'a.example' },
    { key: 'content-type', value: 'application/grpc' },
    { key: 'text-bin', value: 'é' },
    { key: 'bytes-bin', value: '/w' },
    { key: 'none-bin', value: '!' },
  ]);
});

test('EchoThree is unimplemented', async () => {
  const { port } = await startService();
  const result = await call(openSession(port), `${SERVICE}/EchoThree`);
  expect(result).toMatchObject({ status: '12', text: 'method EchoThree not implemented' });
});
