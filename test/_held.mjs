// Loaded before the service: asked by its parent it collects garbage and says what memory is in use, and
// how many timers would keep the process.
// What is resident says nothing of leaks: V8 keeps what it once had.
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
process.on('message', (question) => {
  // Collecting takes longer than timers may.
  if (question === 'how many timers?') {
    process.send({ timers: timers() });
    return;
  }
  // Another thread frees what array buffers held. The next collection waits for it.
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send({ memory: (heapUsed + external) / 2 ** 20, timers: timers() });
});
process.channel.unref();
