import { Readable } from 'node:stream';
import { calculateJa3, calculateJa4, readTlsClientHello } from 'read-tls-client-hello';
import { describe, expect, test } from 'vitest';
import { parseClientHello, type ClientHello } from '../../src/wire/tls/client-hello.ts';
import {
  akamaiFingerprint,
  ClientOpening,
  ja3,
  ja3n,
  ja4,
  md5,
} from '../../src/net/fingerprints.ts';
import { captureClientPreface, parseClientPreface } from '../../src/net/client-preface.ts';
import { frame, SETTINGS, uint32, WINDOW_UPDATE } from '../_frames.ts';
import { fingerprints, preface } from './_client-prefaces.ts';
import { uint16s, vector } from '../../src/wire/byte-writer.ts';
import { captured, captures, helloOf, type Offer } from '../wire/tls/_hellos.ts';

function parsed(bytes: Uint8Array): ClientHello {
  const hello = parseClientHello(bytes);
  if (!hello) throw new Error('no ClientHello');
  return hello;
}

const fingerprint = (offer: Offer): string => ja4(parsed(helloOf(offer))).ja4;
const hexList = (list: string): number[] =>
  list.split(',').map((code) => Number.parseInt(code, 16));

// JA3 according to Wireshark, JA4 according to ja4plus. For Edge, Firefox and Safari, which curl_cffi
// imitated, they match the published values.
describe('captured ClientHellos', () => {
  test.each([
    ['chrome150', '72a1c13722574b6c055a1f73207882ff', 't13d1516h2_8daaf6152771_806a8c22fdea'],
    ['chromium', 'fcfae5cdacc21c3917523c3e940e18c5', 't13d1517h2_8daaf6152771_cb7bf5808d99'],
    ['curl', '0149f47eabf9a20d0893e2a44e5a6323', 't13d3112h2_e8f1e7e78f70_b26ce05bbdd6'],
    [
      'curl-tls12-address',
      'a800670a9e75f9768d052dd7f0be5728',
      't12i2806h1_d943125447b4_a44c6288192a',
    ],
    ['edge101', 'cd08e31494f9531f560d64c695473da9', 't13d1516h2_8daaf6152771_e5627efa2ab1'],
    ['firefox147', '6f7889b9fb1a62a9577e685c1fcfa919', 't13d1717h2_5b57614c22b0_3cbfd9057e0d'],
    ['go', 'e69402f870ecf542b4f017b0ed32936a', 't13d1312h2_f57a46bbacb6_e5728521abd4'],
    ['nghttp', '3cb1ae6010307a12a200b498db329d37', 't13d1213h2_ed40b14a4398_03aaa766dde5'],
    ['node', '0cce74b0d9b7f8528fb2181588d23793', 't13d591000_a33745022dd6_1f22a2ca17c4'],
    ['node-http2', '1a28e69016765d92e3b381168d68922c', 't13d5911h2_a33745022dd6_1f22a2ca17c4'],
    ['node24-http2', 'd67b094811e5145139d7cea5f014309f', 't13d5212h2_b262b3658495_8e6e362c5eac'],
    ['openssl', '5a1edc7f170af1014fc65c994878e63c', 't13d3111h1_e8f1e7e78f70_1f22a2ca17c4'],
    [
      'openssl-early-data',
      '73a4e2cca8dc512d9d81c80851418f14',
      't13d311200_e8f1e7e78f70_87f12a3f655c',
    ],
    ['openssl-ticket', '871a754af286dfb70c1b53c6887c62e0', 't12d280700_d943125447b4_e7e480e5a997'],
    ['openssl-tls10', '4921a5a1f7b5423a19d0db34c56c09f0', 't10i230500_44099cda8a52_195413a0cc0f'],
    ['python', '93c7d42c0df602fb91589311534831f5', 't13d181100_85036bcba153_d41ae481755e'],
    ['safari2601', 'ecdf4f49dd59effc439639da29186671', 't13d2013h2_a09f3c656075_7f0f34a4126d'],
  ])('%s', (name, hash, expected) => {
    const hello = parsed(captured(name));
    expect(md5(ja3(hello))).toBe(hash);
    expect(ja4(hello).ja4).toBe(expected);
  });

  test.each(captures)('%s: matches read-tls-client-hello', async (name) => {
    const theirs = await readTlsClientHello(Readable.from([captured(name)], { objectMode: false }));
    const ours = parsed(captured(name));
    expect(md5(ja3(ours))).toBe(calculateJa3(theirs));
    expect(ja4(ours).ja4).toBe(calculateJa4(theirs));
  });

  test('the JA3 string is decimal, in the order of the client and without GREASE', () => {
    expect(ja3(parsed(captured('chromium')))).toBe(
      '771,4865-4866-4867-49195-49199-49196-49200-52393-52392-49171-49172-156-157-47-53,51-13-65037-35-65281-18-5-10-27-45-17613-43-51764-23-16-0-11,4588-29-23-24,0',
    );
  });
});

describe('JA3 with sorted extensions', () => {
  test('is in numerical order and without GREASE', () => {
    expect(ja3n(parsed(captured('chromium')))).toBe(
      '771,4865-4866-4867-49195-49199-49196-49200-52393-52392-49171-49172-156-157-47-53,0-5-10-11-13-16-18-23-27-35-43-45-51-17613-51764-65037-65281,4588-29-23-24,0',
    );
  });

  // What fingerproxy's example shows of curl 8.6.0, whose JA3 is that of the capture.
  test('is the published one of curl', () => {
    expect(md5(ja3n(parsed(captured('curl'))))).toBe('22441e3edb4a151c17462a438c7a10a5');
  });

  // As browserleaks.com had it of Chrome 143, with this order of extensions.
  test('is the published one of Chrome', () => {
    const order = [45, 51, 16, 65037, 23, 17613, 0, 11, 10, 43, 65281, 35, 18, 5, 13, 27];
    const contents = new Map([
      [10, vector(2, uint16s([0x3a3a, 4588, 29, 23, 24]))],
      [11, vector(1, [0])],
    ]);
    const hello = parsed(
      helloOf({
        cipherSuites: [
          0x2a2a, 4865, 4866, 4867, 49195, 49199, 49196, 49200, 52393, 52392, 49171, 49172, 156,
          157, 47, 53,
        ],
        extensions: [0x1a1a, ...order, 0x8a8a].map((id) => [id, contents.get(id) ?? []] as const),
      }),
    );
    expect(md5(ja3(hello))).toBe('98487aa16281980e7d1120d399efb6a4');
    expect(md5(ja3n(hello))).toBe('8e19337e7524d2573be54efb2b0784c9');
  });
});

describe('published values', () => {
  // The example in FoxIO's JA4.md: Chrome of 2023.
  const ciphers = '1301,1302,1303,c02b,c02f,c02c,c030,cca9,cca8,c013,c014,009c,009d,002f,0035';
  const order = '001b,0000,0033,0010,4469,0017,002d,000d,0005,0023,0012,002b,ff01,000b,000a,0015';
  const signatures = '0403,0804,0401,0503,0805,0501,0806,0601';
  const contents = new Map<number, Buffer>([
    [0x000d, vector(2, uint16s(hexList(signatures)))],
    [0x0010, vector(2, vector(1, Buffer.from('h2')))],
    [0x002b, vector(1, uint16s([0x0304, 0x0303]))],
  ]);
  const example = {
    cipherSuites: hexList(ciphers),
    extensions: hexList(order).map((id) => [id, contents.get(id) ?? []] as const),
  };

  test("JA4.md's example, in all four forms", () => {
    const sortedCiphers = ciphers.split(',').toSorted().join(',');
    const sortedExtensions =
      '0005,000a,000b,000d,0012,0015,0017,001b,0023,002b,002d,0033,4469,ff01';
    expect(ja4(parsed(helloOf(example)))).toEqual({
      ja4: 't13d1516h2_8daaf6152771_e5627efa2ab1',
      ja4_r: `t13d1516h2_${sortedCiphers}_${sortedExtensions}_${signatures}`,
      ja4_o: 't13d1516h2_acb858a92679_18f69afefd3d',
      ja4_ro: `t13d1516h2_${ciphers}_${order}_${signatures}`,
    });
  });

  test('JA4.md: without signature algorithms', () => {
    const extensions = example.extensions.map(([id, content]) =>
      id === 0x000d ? ([id, []] as const) : ([id, content] as const),
    );
    expect(fingerprint({ ...example, extensions })).toBe('t13d1516h2_8daaf6152771_6d807ffa2a79');
  });

  test('the two examples of the JA3 README', () => {
    const extensions = [
      [0, []],
      [10, vector(2, uint16s([23, 24, 25]))],
      [11, vector(1, [0])],
    ] as const;
    const cipherSuites = [47, 53, 5, 10, 49161, 49162, 49171, 49172, 50, 56, 19, 4];
    const full = ja3(parsed(helloOf({ legacyVersion: 0x0301, cipherSuites, extensions })));
    expect(full).toBe('769,47-53-5-10-49161-49162-49171-49172-50-56-19-4,0-10-11,23-24-25,0');
    expect(md5(full)).toBe('ada70206e40642a3e4461f35503241d5');
    const bare = ja3(
      parsed(
        helloOf({ legacyVersion: 0x0301, cipherSuites: [4, 5, 10, 9, 100, 98, 3, 6, 19, 18, 99] }),
      ),
    );
    expect(bare).toBe('769,4-5-10-9-100-98-3-6-19-18-99,,,');
    expect(md5(bare)).toBe('de350869b8c85de67a350c8d186f11e6');
  });
});

describe('the rules of JA4.md', () => {
  test.each([
    ['0304', '13'],
    ['0303', '12'],
    ['0302', '11'],
    ['0301', '10'],
    ['0300', 's3'],
    ['0002', 's2'],
    ['feff', 'd1'],
    ['fefd', 'd2'],
    ['fefc', 'd3'],
    ['7f1c', '00'],
    ['0303,0304,0302', '13'],
    ['fafa,0303', '12'],
    ['fafa', '00'],
  ])('supported_versions %s: %s', (versions, code) => {
    const extensions = [[43, vector(1, uint16s(hexList(versions)))]] as const;
    expect(fingerprint({ extensions }).slice(1, 3)).toBe(code);
  });

  test('legacy_version only counts without supported_versions', () => {
    expect(fingerprint({ legacyVersion: 0x0302, extensions: [] }).slice(1, 3)).toBe('11');
    expect(fingerprint({ legacyVersion: 0x0002, extensions: [] }).slice(1, 3)).toBe('s2');
  });

  test.each([
    [[0xab], 'ab'],
    [[0x20], '20'],
    [[0xab, 0xcd], 'ad'],
    [[0x20, 0x61], '21'],
    [[0x30, 0xab], '3b'],
    [[0x61, 0x20], '60'],
    [[0x30, 0x31, 0xab, 0xcd], '3d'],
    [[0x30, 0xab, 0xcd, 0x31], '01'],
    [[0x61], 'aa'],
    [[], '00'],
    [Buffer.from('http/1.1'), 'h1'],
  ])('ALPN %j: %s', (name, code) => {
    const extensions = [[16, vector(2, vector(1, name))]] as const;
    expect(fingerprint({ extensions }).slice(8, 10)).toBe(code);
  });

  test('an ALPN extension without a name: 00', () => {
    expect(fingerprint({ extensions: [[16, [0, 0]]] }).slice(3, 10)).toBe('i010100');
  });

  test.each<[string, (number[] | Buffer)[]]>([
    ['h1', [[0x0a, 0x0a], [0xfa, 0xfa], Buffer.from('http/1.1'), Buffer.from('h2')]],
    ['00', [[0x0a, 0x0a]]],
  ])('the first ALPN name that is not GREASE: %s', (code, names) => {
    const content = Buffer.concat(names.map((name) => vector(1, name)));
    expect(fingerprint({ extensions: [[16, vector(2, content)]] }).slice(8, 10)).toBe(code);
  });

  test('counts are at most 99 and exclude GREASE', () => {
    const cipherSuites = [0x0a0a, ...Array.from({ length: 120 }, (_, index) => index)];
    const extensions = Array.from({ length: 101 }, (_, index) => [0x8000 + index, []] as const);
    expect(fingerprint({ cipherSuites, extensions }).slice(4, 8)).toBe('9999');
    expect(fingerprint({ cipherSuites: [0x0a0a, 0x1301], extensions: [[0x1a1a, []]] })).toBe(
      't12i010000_0f2cb44170f4_000000000000',
    );
  });

  test('the hash of an empty list is zeros', () => {
    expect(fingerprint({ cipherSuites: [] })).toBe('t12i000000_000000000000_000000000000');
  });

  test('an SNI extension counts regardless of its content', () => {
    expect(fingerprint({ extensions: [[0, []]] })).toMatch(/^t12d0101/);
  });
});

describe("Akamai's fingerprint of an HTTP/2 client", () => {
  test.each(fingerprints)('%s', (name, text, hash) => {
    const { opening } = parseClientPreface(captureClientPreface(preface(name)));
    const order = text.split('|')[3]?.split(',') ?? [];
    const names = order.map((letter) => `:${letter}`);
    const ours = akamaiFingerprint(opening, names);
    expect(ours).toBe(text);
    expect(md5(ours)).toBe(hash);
  });

  test('the published one of Firefox 104 to 132, which sent PRIORITY frames', () => {
    const settings = [0, 1, 0, 1, 0, 0, 0, 4, 0, 2, 0, 0, 0, 5, 0, 0, 0x40, 0];
    const bytes = Buffer.concat([
      frame(SETTINGS, 0, 0, Buffer.from(settings)),
      frame(WINDOW_UPDATE, 0, 0, uint32(12_517_377)),
      priority(3, 0, 201),
      priority(5, 0, 101),
      priority(7, 0, 1),
      priority(9, 7, 1),
      priority(11, 3, 1),
      priority(13, 0, 241),
    ]);
    const { opening } = parseClientPreface({ bytes, missing: undefined });
    const names = [':method', ':path', ':authority', ':scheme'];
    expect(md5(akamaiFingerprint(opening, names))).toBe('3d9132023bf26a71d40fe766e5c24c9d');
  });

  test('of a client without any frames', () => {
    expect(akamaiFingerprint(new ClientOpening(), [])).toBe('|00|0|');
  });
});

function priority(stream: number, dependsOn: number, weight: number): Buffer {
  return frame(2, 0, stream, Buffer.from([0, 0, 0, dependsOn, weight - 1]));
}
