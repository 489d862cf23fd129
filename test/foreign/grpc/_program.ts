import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { findProgram } from '../../../bench/processes.ts';

/** Programs that Go builds, and their modules. */
const MODULES = {
  grpcurl: 'github.com/fullstorydev/grpcurl/cmd/grpcurl',
  'grpc-health-probe': 'github.com/grpc-ecosystem/grpc-health-probe',
  'grpc-interop-client': 'google.golang.org/grpc/interop/client, under this name',
  'grpc-http2-client': 'google.golang.org/grpc/interop/http2, under this name',
  connectconformance: 'connectrpc.com/conformance/cmd/connectconformance',
} as const;
export type GrpcProgram = keyof typeof MODULES;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Whether a program is not on the PATH. Says how to have it. */
export function missing(name: GrpcProgram): boolean {
  if (findProgram(name) !== undefined) return false;
  console.warn(`not run: there is no ${name} on the PATH (Go's ${MODULES[name]})`);
  return true;
}

/** Runs a program of the table. */
export async function run(
  name: GrpcProgram,
  args: readonly string[],
  input?: string,
): Promise<Ended> {
  return runProgram(findProgram(name) ?? name, args, input);
}

/** Runs a program to its end. */
export async function runProgram(
  program: string,
  args: readonly string[],
  input = '',
): Promise<Ended> {
  const child = spawn(program, args, { timeout: 300_000 });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, stdout, stderr };
}
