import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { announcement, findProgram, start } from '../processes.ts';
import type { Protocol } from '../scenarios.ts';
import { beside, serverOf } from '../servers.ts';
import type { Peer } from './peer.ts';

/** go/main.go, built on the spot. */
export const bareGo: Peer = {
  name: 'bare Go',
  needs: 'Go 1.24 or later',
  async start({ directory, certFile, keyFile }) {
    const go = findProgram('go');
    if (go === undefined) return undefined;
    const program = join(directory, 'bare-go');
    execFileSync(go, ['build', '-o', program, beside('../bench/peers/go/main.go')]);
    const child = start('server', program, [certFile, keyFile]);
    const ports = (await announcement(child)) as Partial<Record<Protocol, number>>;
    return [serverOf({ name: 'bare Go', child, ports })];
  },
};
