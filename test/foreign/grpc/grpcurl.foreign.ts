import { describe, expect, test } from 'vitest';
import { files } from '../../grpc/_client.ts';
import { sharedService } from '../../_shared.ts';
import { missing, run } from './_program.ts';

const running = sharedService();
const services = files.flatMap((file) => file.services ?? []);
const methods = services.flatMap(({ name, methods: own }) =>
  Object.keys(own).map((method) => `${name}/${method}`),
);

/** What ends otherwise than with OK: the code that grpcurl ends with is 64 and that of the status. */
const FAILING: Readonly<Record<string, number | undefined>> = {
  'grpc.testing.TestService/UnimplementedCall': 76,
  'grpc.testing.UnimplementedService/UnimplementedCall': 76,
  'gateway_api_conformance.echo_basic.grpcecho.GrpcEcho/EchoThree': 76,
  // A deadline ends it.
  'grpc.health.v1.Health/Watch': 68,
  // Any status.
  'grpcbin.GRPCBin/RandomError': undefined,
  // A unary call without a message is an error to the client.
  'grpcbin.GRPCBin/NoResponseUnary': 77,
};

const describeIf = describe.skipIf(missing('grpcurl'));
const target = () => `127.0.0.1:${running().port}`;
const grpcurl = (...args: readonly string[]) => run('grpcurl', args);

describeIf.each([
  ['in cleartext', '-plaintext'],
  ['over TLS', '-insecure'],
])('grpcurl %s', (_, flag) => {
  test('list', async () => {
    const { stdout } = await grpcurl(flag, target(), 'list');
    const expected = services.map(({ name }) => name).sort();
    expect(stdout.trim().split('\n')).toEqual(expected);
  });

  test.each(services.map(({ name }) => name))('describe %s', async (name) => {
    const { stdout, code } = await grpcurl(flag, target(), 'describe', name);
    expect(stdout).toContain(`${name} is a service:`);
    expect(code).toBe(0);
  });

  test.each(methods)('%s by reflection alone', async (method) => {
    const time = method.endsWith('Watch') ? '1' : '20';
    const args = [flag, '-max-time', time, '-d', '{}', target(), method];
    const { code, stderr } = await grpcurl(...args);
    if (method in FAILING) {
      const expected = FAILING[method];
      if (expected !== undefined) expect(code, stderr).toBe(expected);
    } else expect(code, stderr).toBe(0);
  });
});
