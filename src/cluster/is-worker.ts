import cluster from 'node:cluster';

/** Environment variable that marks workers of wirebin, because another program may use node:cluster, too. */
export const WORKER_VARIABLE = 'WIREBIN_IS_WORKER';

/** Whether this process was started by a wirebin primary. */
export function isWorker(): boolean {
  return cluster.isWorker && process.env[WORKER_VARIABLE] === '1';
}
