// Loaded before the service: asked by its parent it collects garbage and says what memory is in use.
// What is resident says nothing of leaks: V8 keeps what it once had.
process.on('message', () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send((heapUsed + external) / 2 ** 20);
});
process.channel.unref();
