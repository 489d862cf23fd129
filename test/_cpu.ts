/** Milliseconds for which this process runs during a call: they do not depend on what else the machine does. */
export function cpuOf(call: () => void): number {
  const start = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
