import { parseGoDuration } from '../http/go-duration.ts';
import type { ChaosShare, Disturbance } from '../server/chaos.ts';
import { FAULT_NAMES } from '../server/fault.ts';
import { commaList, type Setting } from './setting.ts';

const SHARE = /^([a-z-]+)(?:=([^:]+))?:(\d+(?:\.\d+)?)%$/;

/** The setting `--chaos`: `status=503:5%,delay=200ms:1%,reset:0.5%`; undefined by default. */
export function chaosShares(help: string): Setting<readonly ChaosShare[] | undefined> {
  const items = commaList('SHARES', help);
  return {
    default: undefined,
    defaultText: '',
    value: 'SHARES',
    help,
    allowed: `status=503:5%, delay=200ms:1%, or a fault such as reset:0.5%, comma-separated and at most 100% in all; faults: ${FAULT_NAMES.join(', ')}`,
    read(text) {
      const shares = items.read(text)?.map(shareOf);
      if (!shares?.every((share) => share !== undefined)) return undefined;
      const total = shares.reduce((sum, { percent }) => sum + percent, 0);
      // With tolerance for rounding errors of sums of fractions.
      return total <= 100 + 1e-9 ? shares : undefined;
    },
  };
}

function shareOf(text: string): ChaosShare | undefined {
  const [, kind = '', value, percent] = SHARE.exec(text) ?? [];
  const disturbance = disturbanceOf(kind, value);
  if (!disturbance) return undefined;
  const shown = value === undefined ? kind : `${kind}=${value}`;
  return { text: shown, percent: Number(percent), disturbance };
}

function disturbanceOf(kind: string, value: string | undefined): Disturbance | undefined {
  if (value === undefined) {
    const name = FAULT_NAMES.find((known) => known === kind);
    return name && { kind: 'fault', name };
  }
  switch (kind) {
    case 'status': {
      return /^[2-5]\d\d$/.test(value) ? { kind, status: Number(value) } : undefined;
    }
    case 'delay': {
      const seconds = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : parseGoDuration(value);
      return seconds !== undefined && seconds >= 0 ? { kind, seconds } : undefined;
    }
    default:
      return undefined;
  }
}

/** The longest delay among the shares, in seconds. */
export function longestDelay(shares: readonly ChaosShare[] = []): number {
  return Math.max(
    0,
    ...shares.map(({ disturbance }) => (disturbance.kind === 'delay' ? disturbance.seconds : 0)),
  );
}
