import { canonicalAddress, Networks } from '../../src/wire/address.ts';
import { clientHelloLength } from '../../src/wire/client-hello.ts';
import { parseClientHello } from '../../src/wire/client-hello-parser.ts';
import { akamai, ja3, ja4 } from '../../src/wire/fingerprints.ts';
import {
  incrementIn,
  keptOfFlight,
  lookAtFlight,
  MAX_FLIGHT,
  parseFlight,
  priorityIn,
  priorityUpdateIn,
  settingsIn,
} from '../../src/wire/first-flight.ts';
import { greasePlaces } from '../../src/wire/grease.ts';
import { readProxyHeader } from '../../src/wire/proxy-protocol.ts';
import { readVersion1 } from '../../src/wire/proxy-v1.ts';
import { readVersion2 } from '../../src/wire/proxy-v2.ts';
import { readSslTlv } from '../../src/wire/proxy-tlvs.ts';
import { sniff } from '../../src/wire/sniff.ts';
import { PREFACE } from '../_frames.ts';
import { INET6, tlv, v2, V1 } from '../_proxy.ts';
import { flight, flights } from '../wire/_flights.ts';
import { captured, captures } from '../wire/_hellos.ts';
import { inputsLike, textsLike } from './mutations.ts';
import { expects, parser, type Parser } from './parser.ts';

const hellos = inputsLike(captures.map(captured), [
  '\x16\x03\x01',
  '\x00\x00',
  '\xff\xff',
  '\x01\x00\x00\x00',
]);
const openings = inputsLike(flights.map(flight), [
  PREFACE.toString('latin1'),
  '\0\0\0\x04\0\0\0\0\0',
  '\0\0\x04\x08\0\0\0\0\0\x7f\xff\xff\xff',
  '\xff\xff\xff\x02\xff\xff\xff\xff\xff',
]);
const proxyHeaders = inputsLike(
  [
    V1,
    'PROXY UNKNOWN\r\n',
    v2(),
    v2({ family: 0x21, addresses: INET6 }),
    v2({ tlvs: [tlv(0x20, '\x01\0\0\0\0\x21\0\x01x')] }),
  ],
  [
    'PROXY ',
    'TCP4 ',
    'TCP6 ',
    '::',
    '1.2.3.4 ',
    '\r\n',
    '\r\n\r\n\0\r\nQUIT\n',
    '\x03\0\x04',
    '\x20\0',
  ],
);

export const wireParsers: readonly Parser[] = [
  parser('sniff', openings, (bytes) => {
    const sniffed = sniff(bytes);
    const longest = PREFACE.length;
    expects(sniffed !== 'more' || bytes.length < longest, 'the preface decides');
    if (sniffed !== 'more') expects(sniff(Buffer.concat([bytes, bytes])) === sniffed, 'for good');
  }),
  parser('clientHelloLength', hellos, (bytes) => {
    const length = clientHelloLength(bytes);
    expects(Number.isInteger(length) && length >= 0, 'a length');
    // The answer may only grow, or reading would end before the hello does.
    const part = clientHelloLength(bytes.subarray(0, bytes.length / 2));
    expects(part <= length || length < bytes.length, 'it grows with what comes into view');
  }),
  parser('parseClientHello, ja3, ja4, greasePlaces', hellos, (bytes) => {
    const hello = parseClientHello(bytes);
    if (!hello) return;
    expects(/^\d+(?:,[\d-]*){4}$/.test(ja3(hello)), 'JA3 is five lists');
    expects(/^t\w{9}_[\da-f]{12}_[\da-f]{12}$/.test(ja4(hello).ja4), 'JA4 has three parts');
    greasePlaces(hello);
  }),
  parser('parseFlight, keptOfFlight, lookAtFlight, akamai', openings, (bytes) => {
    const seen = lookAtFlight(bytes, () => undefined);
    if (typeof seen === 'number') expects(seen > bytes.length, 'more than there is');
    const kept = keptOfFlight(bytes);
    expects(kept.bytes.length <= MAX_FLIGHT, 'little is kept');
    const { frames } = parseFlight(kept);
    let increment = 0;
    for (const frame of frames) {
      settingsIn(frame);
      priorityIn(frame);
      priorityUpdateIn(frame);
      increment += incrementIn(frame);
    }
    expects(akamai(frames, increment, [':method', ':path']).split('|').length === 4, 'four parts');
  }),
  parser('readProxyHeader, readVersion1, readVersion2', proxyHeaders, (bytes) => {
    for (const read of [readProxyHeader, readVersion1, readVersion2]) {
      const reading = read(bytes);
      if (reading.kind === 'more') expects(reading.wanted > bytes.length, 'more than there is');
      if (reading.kind === 'header') expects(reading.length <= bytes.length, 'of what there is');
    }
  }),
  parser('readSslTlv', proxyHeaders, readSslTlv),
  parser(
    'canonicalAddress, Networks',
    textsLike(
      ['192.0.2.1', '2001:db8::1', '::ffff:1.2.3.4', '10.0.0.0/8', '::/0', 'fe80::1%eth0'],
      [':', '.', '/', '0', 'ffff', '%', '[', ']', '255'],
    ),
    (text) => {
      const address = canonicalAddress(text);
      const same = address === undefined || canonicalAddress(address) === address;
      expects(same, 'the one form is its own');
      new Networks().add(text);
      new Networks().has(text);
    },
  ),
];
