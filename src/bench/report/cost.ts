import { counted } from '../../check/words.ts';
import type { CostView } from '../cost/schema.ts';

/** What a side costs, in a line; empty if nothing is known. */
export function costText(cost: CostView): string {
  const { processes, cpu_us_per_request: cpu, memory_bytes: memory, origin } = cost;
  const parts = [
    cpu === null ? '' : `${cpu.toLocaleString('en')} µs of CPU a request`,
    memory ? memoryText(memory) : '',
    origin
      ? `${counted(origin.connections, 'new connection')} to the origin for ${origin.requests.toLocaleString('en')} requests, ${origin.open_connections} open`
      : '',
  ].filter(Boolean);
  const names = [...new Set(processes.map(({ name }) => name))].join(', ');
  const who =
    processes.length > 0
      ? `${names} (${processes.length === 1 ? '1 process' : `${processes.length} processes`}): `
      : '';
  return [parts.length > 0 ? `${who}${parts.join('; ')}.` : '', cost.note]
    .filter(Boolean)
    .join(' ');
}

function memoryText({
  resident,
  peak,
  proportional,
}: NonNullable<CostView['memory_bytes']>): string {
  const own = proportional === null ? '' : `, ${megabytes(proportional)} without shares of others`;
  return `${megabytes(resident)} resident${own}, at most ${megabytes(peak)}`;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
