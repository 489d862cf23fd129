/**
 * Packet number spaces (RFC 9000 12.3), in the order of a handshake. Each has the CRYPTO frames of one encryption level; the
 * application space has 0-RTT and 1-RTT packets.
 */
export const PACKET_NUMBER_SPACES = ['initial', 'handshake', 'application'] as const;
export type PacketNumberSpace = (typeof PACKET_NUMBER_SPACES)[number];
