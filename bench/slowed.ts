import { EventEmitter } from 'node:events';

// Loaded before wirebin (`node --import`) to prove that the gate goes red: each request, over either
// protocol, first burns BENCH_DELAY microseconds. The service's own code knows nothing of it.

const delay = Number(process.env['BENCH_DELAY']) / 1000;
Reflect.set(
  EventEmitter.prototype,
  'emit',
  new Proxy(Reflect.get(EventEmitter.prototype, 'emit') as EventEmitter['emit'], {
    apply(emit, emitter, args: Parameters<EventEmitter['emit']>) {
      const [name] = args;
      if (name === 'request' || name === 'stream') {
        const until = performance.now() + delay;
        while (performance.now() < until);
      }
      return Reflect.apply(emit, emitter, args);
    },
  }),
);
