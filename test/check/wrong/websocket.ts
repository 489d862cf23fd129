import type { UpgradeDeviation } from '../_gateway-upgrade.ts';
import type { Setup, WrongProxy } from '../_wrong.ts';

export const UPGRADING: Setup = { scheme: 'http', hasUpgrade: true };

const upgrading = (
  name: string,
  upgrade: UpgradeDeviation,
  turns: WrongProxy['turns'],
): WrongProxy => ({ name, deviation: { upgrade }, turns, setup: UPGRADING });

/** Gateways that forward Upgrade wrongly. */
export const wrongWebsockets: readonly WrongProxy[] = [
  upgrading(
    'drops Sec-WebSocket-Accept',
    { drops: ['sec-websocket-accept'] },
    {
      'websocket/handshake': 'fail',
      'websocket/from-origin': 'blocked',
      'websocket/frames': 'blocked',
      'websocket/origin-closes': 'blocked',
    },
  ),
  {
    ...upgrading(
      'loses what comes with a 101',
      { dropsFirst: true },
      { 'websocket/from-origin': 'fail', 'websocket/frames': 'fail' },
    ),
    isSilent: true,
  },
  {
    ...upgrading(
      'keeps a connection open that the origin has closed',
      { keepsOpen: true },
      { 'websocket/origin-closes': 'fail' },
    ),
    isSilent: true,
  },
  upgrading(
    'answers pings of the origin itself',
    {
      change: (piece) =>
        Buffer.from(piece.toString('latin1').replace('\u0089\u0004ping', ''), 'latin1'),
    },
    { 'websocket/frames': 'fail' },
  ),
  {
    name: 'does not forward Upgrade',
    deviation: {},
    turns: { 'upgrade/websocket': 'differs' },
    setup: UPGRADING,
    breaksOthers: true,
  },
  upgrading('takes a refusal for 101', { ignoresStatus: true }, { 'websocket/refused': 'fail' }),
];
