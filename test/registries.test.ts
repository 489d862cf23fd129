import { expect, test } from 'vitest';
import { differences, type NameTable } from '../scripts/registries/comparison.ts';
import { tables } from '../scripts/registries/tables.ts';

const groups: NameTable = { names: { 1: 'one', 35: 'GC256B', 36: 'old', 99: 'ours' } };
const HEADER = 'Value,Description,DTLS-OK,Recommended,Reference,Comment';

/** A CSV file as IANA's, whose rows end with CRLF. */
function file(...rows: readonly string[]): string {
  return rows.map((row) => `${row}\r\n`).join('');
}

test('what is missing, differs or is only here has a line each', () => {
  const csv = file(
    HEADER,
    '1,one,Y,N,,',
    '34,GC256A,Y,N,[RFC9189],',
    '35,GC256B,Y,N,,',
    '36,new,,,,',
  );
  expect(differences(groups, csv)).toEqual([
    'missing: 34 GC256A',
    'differs: 36 new, here old',
    'only here: 99 ours',
  ]);
});

test('code points are shown as in the file', () => {
  expect(differences({ names: { 0x0708: 'ours' } }, file(HEADER, '0x0709,other,N,,'))).toEqual([
    'missing: 0x0709 other',
    'only here: 0x0708 ours',
  ]);
  const suites = { names: { 0xc01d: 'TLS_A', 0x1301: 'TLS_C' } };
  expect(
    differences(suites, file(HEADER, '"0xC0,0x1D",TLS_B,Y,,,', '"0x13,0x01",TLS_C,,,,')),
  ).toEqual(['differs: 0xC0,0x1D TLS_B, here TLS_A']);
});

test.each([
  ['unassigned', '5,Unassigned,,,,'],
  ['reserved', '5,Reserved,,,[RFC8447],'],
  ['reserved for GREASE', '2570,Reserved,Y,N,[RFC8701],'],
  [
    'reserved, in several lines',
    '"0x00,0x47-4F","Reserved to avoid conflicts\nwith ""others""",,,,',
  ],
  ['unused', '306,(Unused),"[RFC9110, Section 15.4.7]"'],
  ['a range', '6-9,something,,,,'],
  ['a range of first bytes', '"0x01-09,*",something,,,,'],
])('what is %s does not count', (_, row) => {
  expect(differences({ names: { 1: 'one' } }, file(HEADER, '1,one,Y,N,,', row))).toEqual([]);
});

test('a name may be here for a code point that IANA has only reserved', () => {
  expect(differences({ names: { 418: "I'm a teapot" } }, file(HEADER, '418,(Unused),'))).toEqual(
    [],
  );
});

test.each([
  ['supported_groups', '"supported_groups (renamed from ""elliptic_curves"")"'],
  ['Kyber768', 'Kyber768 (OBSOLETE)'],
  ['Not Extended', 'Not Extended (OBSOLETED)'],
  ['Upload', 'Upload (TEMPORARY - registered 2024-11-13, expires 2026-11-13)'],
  ['finished', 'finished_RESERVED'],
  ['connection_id (deprecated)', 'connection_id (deprecated)'],
])('%s is the name without remarks on its history', (name, registered) => {
  expect(differences({ names: { 1: name } }, file(HEADER, `1,${registered},Y`))).toEqual([]);
});

test('settings of HTTP/2 are compared without their prefix', () => {
  const csv = file('Code,Name,Initial Value,Reference', '0x08,SETTINGS_ENABLE_A,0,', '0x01,B,1,');
  const names = { 1: 'B', 8: 'ENABLE_A' };
  expect(differences({ names, prefix: 'SETTINGS_' }, csv)).toEqual([]);
});

test('methods are compared by their names', () => {
  const csv = file('Method Name,Safe,Idempotent,Reference', '*,no,no,', 'M-NEW,no,no,');
  const found = differences(tables['methods.csv'] ?? groups, csv);
  expect(found[0]).toBe('missing: M-NEW');
  expect(found).toContain('only here: GET');
  expect(found).not.toContain('only here: *');
});

test('field names are compared with their status', () => {
  const header = 'Field Name,Status,Structured Type,Reference,Comments';
  const names = { Accept: 'permanent', Pragma: 'permanent', 'Sec-Fetch-Dest': 'permanent' };
  const csv = file(
    header,
    'Accept,permanent,,"[RFC 9110, Section 12.5.1: HTTP Semantics]",',
    'Pragma,deprecated,,,',
    'Sec-Fetch-Dest,Permanent,Item,,',
    'Sec-GPC,provisional,,,',
  );
  expect(differences({ names }, csv)).toEqual([
    'differs: Pragma deprecated, here permanent',
    'missing: Sec-GPC provisional',
  ]);
  const found = differences(tables['field-names.csv'] ?? groups, csv);
  expect(found).toContain('only here: Upgrade permanent');
  expect(found.filter((line) => !line.startsWith('only here'))).toEqual([]);
});

test.each([
  [
    'tls-extensiontype-values-3.csv',
    ['Value,Name,Recommended,Reference,Comment'],
    ['0,X.509,Y,[RFC6091],', '1,OpenPGP_RESERVED,N,,', '2,Raw Public Key,Y,,', '3,1609Dot2,N,,'],
  ],
  [
    'certificate-status.csv',
    ['Value,Description,Reference,Comment'],
    ['0,Reserved,[RFC6961],', '1,ocsp,,', '2,ocsp_multi_RESERVED,,', '3-255,Unassigned,,'],
  ],
  [
    'tls-certificate-compression-algorithm-ids.csv',
    ['Algorithm Number,Description,Reference'],
    [
      '0,Reserved,',
      '1,zlib,',
      '2,brotli,',
      '3,zstd,',
      '16384-65535,Reserved for Experimental Use,',
    ],
  ],
  [
    'heartbeat-modes.csv',
    ['Value,Description,DTLS-OK,Reference'],
    [
      '0,Reserved,,',
      '1,peer_allowed_to_send,Y,',
      '2,peer_not_allowed_to_send,Y,',
      '255,Reserved,,',
    ],
  ],
  [
    'token-binding-key-parameters.csv',
    ['Value,Description,Reference'],
    ['0,rsa2048_pkcs1.5,', '1,rsa2048_pss,', '2,ecdsap256,', '3-255,Unassigned,'],
  ],
])('%s is what the table has', (name, header, rows) => {
  expect(differences(tables[name] ?? groups, file(...header, ...rows))).toEqual([]);
});

test('code points of a range have its name, and what no varint can encode is left out', () => {
  const csv = file(
    'Value,Frame Type Name,Status,Specification',
    '0x01,PING,permanent,',
    '0x02-0x03,ACK,permanent,',
    '0x0f739bbc1b666d0d,MAX_PATHS,provisional,',
    '0x4143414213370002,BDP_FRAME,provisional,',
  );
  const names = { 1: 'PING', 2: 'ACK', 3: 'ACK_ECN', 4: 'ACK' };
  const leavesOut = tables['quic-transport.csv']?.leavesOut ?? (() => false);
  expect(differences({ names, leavesOut }, csv)).toEqual([
    'missing: 0x0f739bbc1b666d0d MAX_PATHS',
    'only here: 0x0003 ACK_ECN',
    'only here: 0x0004 ACK',
  ]);
});

test('close codes are compared without their names, and those that are not sent are left out', () => {
  const csv = file(
    'Status Code,Meaning,Contact,Change Controller,Reference',
    ...Array.from({ length: 15 }, (_, at) => `${1000 + at},${at === 4 ? 'Reserved' : 'Any'},,,`),
    '1015,TLS handshake,,,',
    '1016,New,,,',
    '1017-3999,Unassigned,,,',
    '3000,Unauthorized,,,',
  );
  expect(differences(tables['close-code-number.csv'] ?? groups, csv)).toEqual([
    'missing: 1016 New',
  ]);
});

test.each([
  ['an empty file', ''],
  ['a page', '<!DOCTYPE html>\n<title>Not Found</title>\n'],
  ['a header alone', `${HEADER}\r\n`],
  ['other rows', 'Name,Reference\r\na,b\r\nc,d\r\n'],
])('%s is refused', (_, text) => {
  expect(() => differences(groups, text)).toThrow(
    /^(is no CSV file of a registry|has no code points)$/,
  );
});
