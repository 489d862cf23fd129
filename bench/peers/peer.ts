import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import type { Server, Workspace } from '../servers.ts';

/** Another server that a user could take instead. */
export interface Peer {
  readonly name: string;
  readonly program: string;
  /** What to install, for the line that says it is missing. */
  readonly needs: string;
  /** @param program its path */
  start(program: string, workspace: Workspace): Promise<readonly Server[]>;
}

/** A port that was free a moment ago, for programs that cannot pick one themselves. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const PATIENCE = 100;
const PAUSE = 100;

/** Resolves once something listens there. @throws after ten seconds */
export async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < PATIENCE; attempt += 1) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await new Promise((resolve) => {
        setTimeout(resolve, PAUSE);
      });
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`nothing listens on port ${port}`);
}
