import { expect } from 'vitest';
import { run } from './_program.ts';

/** The cases of gRPC's interop client (grpc/grpc doc/interop-test-descriptions.md) but ORCA and cloud credentials. */
export const CASES = [
  'empty_unary',
  'large_unary',
  'client_streaming',
  'server_streaming',
  'ping_pong',
  'empty_stream',
  'timeout_on_sleeping_server',
  'cancel_after_begin',
  'cancel_after_first_response',
  'status_code_and_message',
  'special_status_message',
  'custom_metadata',
  'unimplemented_method',
  'unimplemented_service',
  'pick_first_unary',
  'rpc_soak',
  'channel_soak',
] as const;

/** Runs a case of the client of Go. @param cert of proxy.example, to use TLS */
export async function expectCase(
  name: string,
  port: number,
  cert?: string,
  flags: readonly string[] = [],
): Promise<void> {
  const target = ['--server_host=127.0.0.1', `--server_port=${port}`, `--test_case=${name}`];
  const tls = ['--use_tls', '--use_test_ca', `--ca_file=${cert}`];
  if (cert !== undefined) target.push(...tls, '--server_host_override=proxy.example');
  const { code, stderr } = await run('grpc-interop-client', [...target, ...flags]);
  // Those of the soak tests are far from the end.
  const failures = stderr.split('\n').filter((line) => line.includes('failed: '));
  expect(code, [...failures, stderr.slice(-2000)].join('\n')).toBe(0);
}
