import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';

// Loaded before wirebin (`node --import`) to prove that the gate goes red: each request first burns BENCH_DELAY
// microseconds, over HTTP/1.1 when its bytes arrive. The service's own code knows nothing of it.

const delay = Number(process.env['BENCH_DELAY']) / 1000;
Reflect.set(
  EventEmitter.prototype,
  'emit',
  new Proxy(Reflect.get(EventEmitter.prototype, 'emit') as EventEmitter['emit'], {
    apply(emit, emitter, args: Parameters<EventEmitter['emit']>) {
      const [name] = args;
      if (name === 'stream' || (name === 'data' && emitter instanceof Socket)) {
        const until = performance.now() + delay;
        while (performance.now() < until);
      }
      return Reflect.apply(emit, emitter, args);
    },
  }),
);
