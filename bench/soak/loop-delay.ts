import { monitorEventLoopDelay } from 'node:perf_hooks';

// Loaded before wirebin (`node --import`): reports to its parent every second how late the
// event loop was at the most, in milliseconds. The service's own code knows nothing of it.

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
setInterval(() => {
  process.send?.({ delay: delay.max / 1e6 });
  delay.reset();
}, 1000).unref();
process.channel?.unref();
