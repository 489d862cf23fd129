import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupOfSession, sessionIdOfSession } from '../../../src/wire/tls/openssl-session.ts';

/** Sessions of Node's servers, as `getSession()` returns them; those of TLS 1.2 have the secret of a test. */
const RECORDED = [
  [
    'x25519 in TLS 1.3, OpenSSL 3.0',
    '3046020101020203040402130204000400a10602046b0cb6aaa20402021c20a42204203339383537646263303937636439623236393930633033373366623836366335b30302011d',
    0x001d,
  ],
  [
    'X25519MLKEM768, OpenSSL 3.5',
    '3047020101020203040402130204000400a10602046b0cb6aaa20402021c20a42204203139636336383435376165613331333631333832336665363533306137333363b304020211ec',
    0x11ec,
  ],
  [
    'ffdhe2048',
    '3047020101020203040402130204000400a10602046b0cb6aaa20402021c20a42204203061393337623430666432336436626432383531376137383062656333303063b30402020100',
    0x0100,
  ],
  [
    'secp384r1 in TLS 1.2',
    '307b020101020203030402c02f0400043079dd1b13bd7c6580662f22f73946b17898d351e4ff5aab6ea7bc07240aa84bd0e2ce504ce5fcfed8b437979a1b6ee442a10602046b0cb6aba20402021c20a42204203836646566386634646362383266363162653565346336633137383964383865ad03020101b303020118',
    0x0018,
  ],
  [
    'RSA key exchange in TLS 1.2',
    '307b020101020203030402009c04000430cf95402e4e67e13ee06dd8335186cc72ae0aff22cda2d6aaf0e5548bdc17282a1ca4d398c74210e836e34af07c0570aaa10602046b0cb6aba20402021c20a42204206130656135393433633366643064663564663461363039353064343966653862ad03020101b303020100',
    0,
  ],
] as const;

describe('groupOfSession', () => {
  test.each(RECORDED)('%s', (_name, session, group) => {
    expect(groupOfSession(Buffer.from(session, 'hex'))).toBe(group);
  });

  test.each([
    ['0xff01, which has a leading zero', '3007b305020300ff01', 0xff01],
    ['a length in the long form', '308106b30402020017', 0x0017],
    ['a length in four bytes', '308400000006b30402020017', 0x0017],
    ['an unknown member before and one behind', '300eb2020500b30402020017b402abcd', 0x0017],
  ])('%s', (_name, session, group) => {
    expect(groupOfSession(Buffer.from(session, 'hex'))).toBe(group);
  });

  test.each([
    ['nothing', ''],
    ['no member', '3000'],
    ['not the member', '3003020101'],
    ['no sequence', '3106b30402020017'],
    ['bytes behind the sequence', '3006b3040202001700'],
    ['an indefinite length', '3080b304020200170000'],
    ['a length in five bytes', '30850000000006b30402020017'],
    ['a truncated member', '3005b304020200'],
    ['an empty member', '3002b300'],
    ['no integer in it', '3005b303040117'],
    ['two integers in it', '3008b306020117020118'],
    ['an empty integer', '3004b3020200'],
    ['a number above 0xffff', '3007b3050203010000'],
    ['a number of four bytes', '3008b306020400000017'],
  ])('undefined for %s', (_name, session) => {
    expect(groupOfSession(Buffer.from(session, 'hex'))).toBeUndefined();
  });

  test('undefined for each truncated session', () => {
    for (const [, session] of RECORDED) {
      const bytes = Buffer.from(session, 'hex');
      for (let length = 0; length < bytes.length; length++) {
        expect(groupOfSession(bytes.subarray(0, length))).toBeUndefined();
      }
    }
  });

  test('never throws, and returns 16 bits', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const group = groupOfSession(Uint8Array.from([0x30, bytes.length, ...bytes])) ?? 0;
        expect(group).toBeGreaterThanOrEqual(0);
        expect(group).toBeLessThanOrEqual(0xffff);
      }),
    );
  });
});

describe('sessionIdOfSession', () => {
  test.each([
    ['none', RECORDED[3][1], ''],
    ['one', '300f0201010202030304020035040201ff', '01ff'],
    ['not at its place', '300d02010102020303040200350201', undefined],
    ['a number in its place', '300e0201010202030304020035020101', undefined],
    ['nothing', '3000', undefined],
  ])('%s', (_name, session, id) => {
    const found = sessionIdOfSession(Buffer.from(session, 'hex'));
    expect(found && Buffer.from(found).toString('hex')).toBe(id);
  });
});
