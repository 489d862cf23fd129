import { readdirSync, readFileSync } from 'node:fs';

/** The process and all that descend from it. */
function family(pid: number): number[] {
  const members = [pid];
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)] as const);
  for (const member of members) {
    for (const [child, parent] of parents) if (parent === member) members.push(child);
  }
  return members;
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before the state may hold anything.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** Seconds of CPU that the process, its threads and its children have had. */
export function cpuSeconds(pid: number): number | undefined {
  try {
    return family(pid).reduce((total, member) => total + threadSeconds(member), 0);
  } catch {
    return undefined;
  }
}

/** The scheduler counts nanoseconds; the ticks of `stat` are too coarse for short runs. */
function threadSeconds(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [onCpu = 0] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1')
      .split(' ')
      .map(Number);
    nanoseconds += onCpu;
  }
  return nanoseconds / 1e9;
}
