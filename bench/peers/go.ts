import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { announcement, start } from '../processes.ts';
import { repository, serverOf, type Server } from '../servers.ts';
import type { Peer } from './peer.ts';

/** go/main.go, built on the spot. */
export const bareGo: Peer = {
  name: 'bare Go',
  program: 'go',
  needs: 'Go 1.24 or later',
  async start(go, { directory, certFile, keyFile }) {
    const program = join(directory, 'bare-go');
    execFileSync(go, ['build', '-o', program, repository('bench/peers/go/main.go')]);
    const child = start(program, [certFile, keyFile]);
    const ports = (await announcement(child)) as Server['ports'];
    return [serverOf({ name: 'bare Go', child, ports })];
  },
};
