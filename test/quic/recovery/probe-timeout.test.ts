import { describe, expect, test } from 'vitest';
import { APPLICATION, HANDSHAKE, INITIAL, Sender, SIZE } from './_sender.ts';

const NOTHING = { lost: [], probe: undefined };

/** A client whose first Initial packet is sent at 0. */
function client(): Sender {
  const sender = new Sender('client', { hasHandshakeKeys: false, isConfirmed: false });
  sender.send(0, 0, INITIAL);
  return sender;
}

describe('a probe (RFC 9002 6.2)', () => {
  test('is due three times the initial round-trip time after the last packet (6.2.2)', () => {
    const sender = client();
    sender.send(1, 50, INITIAL);
    expect(sender.detection.nextTimeout()).toBe(50 + 999);
    expect(sender.detection.expire(1048.9)).toEqual(NOTHING);
    expect(sender.detection.expire(1049)).toEqual({ lost: [], probe: INITIAL });
  });

  test('is no sign of loss', () => {
    const sender = client();
    sender.detection.expire(999);
    expect(sender.detection.inFlight(INITIAL)).toHaveLength(1);
    expect(sender.detection.congestion.bytesInFlight).toBe(SIZE);
  });

  test('is due after max_ack_delay in the application space only (6.2.1)', () => {
    const sender = new Sender();
    sender.detection.rtt.maxAckDelay = 40;
    sender.sample(100, HANDSHAKE);
    sender.send(0, 200);
    expect(sender.detection.nextTimeout()).toBe(200 + 300 + 40);
    sender.send(1, 210, HANDSHAKE);
    expect(sender.detection.nextTimeout()).toBe(210 + 300);
  });

  test('is not sent in the application space before the handshake is confirmed (6.2.1)', () => {
    const sender = new Sender('server', { isConfirmed: false });
    sender.send(0, 0);
    expect(sender.detection.nextTimeout()).toBeUndefined();
    expect(sender.detection.expire(10_000)).toEqual(NOTHING);
    sender.handshake.isConfirmed = true;
    expect(sender.detection.nextTimeout()).toBe(999 + 25);
  });

  test('is due at the earlier time of two spaces (6.2.1)', () => {
    const sender = new Sender('server', { isConfirmed: false });
    sender.send(0, 10, HANDSHAKE);
    sender.send(0, 5, INITIAL);
    expect(sender.detection.nextTimeout()).toBe(5 + 999);
    expect(sender.detection.expire(1004).probe).toBe(INITIAL);
  });

  test('is not due for a packet with PADDING only', () => {
    const sender = new Sender();
    sender.pad(0, 0);
    expect(sender.detection.nextTimeout()).toBeUndefined();
  });

  test('is not due while a packet may be lost by the time threshold (6.2.1)', () => {
    const sender = new Sender();
    sender.sample(80);
    sender.send(1, 100);
    sender.send(2, 100);
    sender.send(3, 100);
    sender.acknowledge([2], 180);
    expect(sender.detection.nextTimeout()).toBe(190);
    expect(sender.detection.expire(185)).toEqual(NOTHING);
    sender.detection.expire(190);
    expect(sender.detection.nextTimeout()).toBeGreaterThan(190);
    expect(sender.detection.inFlight(APPLICATION).map(({ content }) => content)).toEqual([3]);
  });
});

describe('the back-off (RFC 9002 6.2.1)', () => {
  test('doubles with each timeout, in all spaces', () => {
    const sender = client();
    sender.detection.expire(999);
    sender.send(1, 1000, INITIAL);
    expect(sender.detection.nextTimeout()).toBe(1000 + 2 * 999);
    sender.detection.expire(2998);
    sender.detection.discard(INITIAL, 2998);
    sender.send(0, 3000, HANDSHAKE);
    sender.detection.expire(3999);
    sender.send(0, 4000, INITIAL);
    expect(sender.detection.nextTimeout()).toBe(3000 + 2 * 999);
  });

  test('ends with an acknowledgment', () => {
    const sender = new Sender('server', { isConfirmed: false });
    sender.send(0, 0, INITIAL);
    sender.detection.expire(999);
    sender.send(1, 1000, INITIAL);
    sender.acknowledge([1], 1100, INITIAL);
    sender.send(2, 1200, INITIAL);
    expect(sender.detection.nextTimeout()).toBe(1200 + 300);
  });

  test('does not end at a client by an acknowledgment in an Initial packet', () => {
    const sender = client();
    sender.detection.expire(999);
    sender.send(1, 1000, INITIAL);
    sender.acknowledge([1, 0], 1100, INITIAL);
    sender.send(2, 1200, INITIAL);
    expect(sender.detection.nextTimeout()).toBe(1200 + 2 * 300);
    sender.send(0, 1210, HANDSHAKE);
    sender.acknowledge([0], 1310, HANDSHAKE);
    expect(sender.detection.nextTimeout()).toBeCloseTo(1200 + sender.detection.rtt.probeTimeout);
  });

  test('ends when keys are discarded (6.2.2)', () => {
    const sender = client();
    sender.detection.expire(999);
    sender.detection.discard(INITIAL, 1000);
    sender.send(0, 1010, HANDSHAKE);
    expect(sender.detection.nextTimeout()).toBe(1010 + 999);
  });
});

describe('before the address is validated', () => {
  test('a server that may send nothing has no timer (RFC 9002 6.2.2.1)', () => {
    const sender = new Sender('server', { isConfirmed: false, isAmplificationLimited: true });
    sender.send(0, 0, INITIAL);
    expect(sender.detection.nextTimeout()).toBeUndefined();
    expect(sender.detection.expire(5000)).toEqual(NOTHING);
    sender.handshake.isAmplificationLimited = false;
    expect(sender.detection.nextTimeout()).toBe(999);
    expect(sender.detection.expire(5000).probe).toBe(INITIAL);
  });

  test('a client with nothing in flight sends a probe, that the server may send (RFC 9002 6.2.2.1)', () => {
    const sender = client();
    sender.acknowledge([0], 100, INITIAL);
    expect(sender.detection.nextTimeout()).toBe(100 + 300);
    expect(sender.detection.expire(400).probe).toBe(INITIAL);
    expect(sender.detection.nextTimeout()).toBe(400 + 600);
    sender.handshake.hasHandshakeKeys = true;
    expect(sender.detection.expire(1000).probe).toBe(HANDSHAKE);
  });

  test('the time of this probe starts again when keys are discarded (RFC 9002 6.2.2)', () => {
    const sender = client();
    sender.detection.discard(INITIAL, 700);
    expect(sender.detection.nextTimeout()).toBe(700 + 999);
  });

  test('no probe is necessary after an acknowledgment of a Handshake packet', () => {
    const sender = client();
    sender.acknowledge([0], 100, INITIAL);
    sender.send(0, 110, HANDSHAKE);
    sender.acknowledge([0], 200, HANDSHAKE);
    expect(sender.detection.nextTimeout()).toBeUndefined();
  });

  test('no probe is necessary once the handshake is confirmed', () => {
    const sender = client();
    sender.acknowledge([0], 100, INITIAL);
    sender.handshake.isConfirmed = true;
    expect(sender.detection.nextTimeout()).toBeUndefined();
  });

  test('a server with nothing in flight waits for the client', () => {
    const sender = new Sender('server', { isConfirmed: false });
    expect(sender.detection.nextTimeout()).toBeUndefined();
  });
});

test('packets of discarded keys are in flight no longer (RFC 9002 6.4)', () => {
  const sender = client();
  sender.send(1, 0, INITIAL);
  sender.send(0, 0, HANDSHAKE);
  sender.acknowledge([1], 10, INITIAL);
  sender.detection.discard(INITIAL, 20);
  expect(sender.detection.inFlight(INITIAL)).toEqual([]);
  expect(sender.detection.congestion.bytesInFlight).toBe(SIZE);
  expect(sender.detection.expire(25)).toEqual(NOTHING);
  expect(sender.detection.nextTimeout()).toBe(30);
});
