import { AsyncResource } from 'node:async_hooks';
import { Socket } from 'node:net';
import { queryObjects } from 'node:v8';
import { afterAll, beforeAll, expect } from 'vitest';
import { closeOpened } from './_opened.ts';
import { destroySockets } from './_raw.ts';

// The files of a process share one listener.
declare global {
  var strayWarnings: string[] | undefined;
}

// Anything that goes wrong outside a test fails the run: a warning (a leaked listener, a deprecated call)
// is a defect that no test covers yet.
if (!globalThis.strayWarnings) {
  const warnings: string[] = [];
  globalThis.strayWarnings = warnings;
  process.on('warning', ({ name, message }) => {
    // That of `timersLeft()`, which would fail the next file, too.
    if (!message.startsWith('v8.queryObjects')) warnings.push(`${name}: ${message}`);
  });
}

/** How many there are of each kind of handle and request that keeps this process alive. */
function activeResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** Milliseconds that what a file has closed gets to be gone. */
const CLOSING_TIME = 5000;

let before: Map<string, number>;
/** Timers of the file have higher ids. */
let idBefore: number;
beforeAll(() => {
  before = activeResources();
  // One of vitest's, which throttles its reports, is gone soon: counted, it would hide one that the file leaves.
  before.delete('Timeout');
  idBefore = new AsyncResource('test file').asyncId();
});

/** What there is more of than before the file. */
function left(): [kind: string, count: number][] {
  return [...activeResources()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
}

/** The sockets among them, from a list that Node keeps and does not document. */
function socketsLeft(): string {
  const list: unknown = Reflect.get(process, '_getActiveHandles');
  const handles: unknown = typeof list === 'function' ? Reflect.apply(list, process, []) : [];
  return (Array.isArray(handles) ? handles : [])
    .filter((handle) => handle instanceof Socket)
    .map(
      (socket) =>
        `${socket.constructor.name} of port ${socket.localPort} to ${socket.remotePort}: ` +
        `${socket.readyState}, destroyed: ${socket.destroyed}, flowing: ${socket.readableFlowing}, ` +
        `${socket.bytesRead} bytes read, ${socket.bytesWritten} written`,
    )
    .join('; ');
}

/** What Node says of the timers of the file that keep this process alive. */
function timersLeft(): string {
  const timer = setTimeout(() => undefined);
  clearTimeout(timer);
  return queryObjects(timer.constructor, { format: 'summary' })
    .filter((text) => text.includes('_destroyed: false') && /\(refed\)\]?: true/.test(text))
    .filter((text) => Number(/\(asyncId\)\]?: (\d+)/.exec(text)?.[1]) > idBefore)
    .join('; ');
}

// So does a server, a connection, a timer or a child process that a file leaves open.
afterAll(async () => {
  destroySockets();
  closeOpened();
  const end = performance.now() + CLOSING_TIME;
  while (left().length > 0 && performance.now() < end) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  expect(left(), left().length > 0 ? `${socketsLeft()} ${timersLeft()}` : '').toEqual([]);
  expect(globalThis.strayWarnings?.splice(0)).toEqual([]);
});
