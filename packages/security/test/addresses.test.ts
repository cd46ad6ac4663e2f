import {
  type AddressPlace,
  isLocalName,
  isLoopback,
  isMetadataName,
  isPublicAddress,
  literalAddress,
  placeOf,
} from '@stopgo/security';
import { describe, expect, test } from 'vitest';

/** Each address, where it is, and whether it is of the public network in its usual form. */
const CASES: readonly (readonly [address: string, place: AddressPlace, isPublic?: true])[] = [
  ['8.8.8.8', 'public', true],
  ['172.32.0.1', 'public', true],
  ['100.128.0.1', 'public', true],
  ['169.253.255.255', 'public', true],
  ['223.255.255.255', 'public', true],
  ['2606:4700::1111', 'public', true],
  ['2a00:1450::1', 'public', true],
  // Loopback.
  ['127.0.0.1', 'loopback'],
  ['127.8.9.10', 'loopback'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['::127.0.0.1', 'loopback'],
  ['::ffff:0:127.0.0.1', 'loopback'],
  ['64:ff9b::7f00:1', 'loopback'],
  ['64:ff9b:1::127.0.0.1', 'loopback'],
  ['2002:7f00:1::1', 'loopback'],
  // A Teredo client at 127.0.0.1.
  ['2001:0:4136:e378:8000:63bf:80ff:fffe', 'loopback'],
  // Private.
  ['10.1.2.3', 'private'],
  ['100.64.0.1', 'private'],
  ['100.100.100.199', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.0.1', 'private'],
  ['198.18.0.1', 'private'],
  ['fc00::1', 'private'],
  ['fd12::1', 'private'],
  ['fd00:ec1::254', 'private'],
  ['fd20:cd::254', 'private'],
  ['::ffff:10.0.0.1', 'private'],
  ['64:ff9b::10.0.0.1', 'private'],
  ['2002:a00:1::', 'private'],
  // Metadata services of clouds.
  ['169.254.169.254', 'forbidden'],
  ['169.254.170.2', 'forbidden'],
  ['100.100.100.200', 'forbidden'],
  ['168.63.129.16', 'forbidden'],
  ['192.0.0.192', 'forbidden'],
  ['fd00:ec2::254', 'forbidden'],
  ['fd00:0ec2:0:0:0:0:0:23', 'forbidden'],
  ['fd20:ce::254', 'forbidden'],
  ['::ffff:169.254.169.254', 'forbidden'],
  ['::FFFF:A9FE:A9FE', 'forbidden'],
  ['0:0:0:0:0:ffff:a9fe:a9fe', 'forbidden'],
  ['::169.254.169.254', 'forbidden'],
  ['::ffff:0:a9fe:a9fe', 'forbidden'],
  ['64:ff9b::a9fe:a9fe', 'forbidden'],
  ['64:ff9b::169.254.169.254', 'forbidden'],
  ['0064:ff9b:0001::a9fe:a9fe', 'forbidden'],
  ['64:ff9b:1:abcd::6464:64c8', 'forbidden'],
  ['2002:a9fe:a9fe::1', 'forbidden'],
  ['2002:a83f:8110::', 'forbidden'],
  ['2001::5601:5601', 'forbidden'],
  // Link-local, multicast, broadcast, unspecified, reserved.
  ['fe80::1', 'forbidden'],
  ['fe80::1%eth0', 'forbidden'],
  ['febf::1', 'forbidden'],
  ['fec0::1', 'forbidden'],
  ['0.0.0.0', 'forbidden'],
  ['0.1.2.3', 'forbidden'],
  ['::', 'forbidden'],
  ['::ffff:0.0.0.0', 'forbidden'],
  ['224.0.0.1', 'forbidden'],
  ['239.255.255.255', 'forbidden'],
  ['ff02::1', 'forbidden'],
  ['240.0.0.1', 'forbidden'],
  ['255.255.255.255', 'forbidden'],
  // Reachable in principle, but given to nobody, or not written in the usual form.
  ['192.0.2.1', 'public'],
  ['198.51.100.1', 'public'],
  ['203.0.113.1', 'public'],
  ['192.88.99.1', 'public'],
  ['2001:db8::1', 'public'],
  ['3fff::1', 'public'],
  ['::ffff:8.8.8.8', 'public'],
  ['64:ff9b::808:808', 'public'],
  ['2002:808:808::', 'public'],
  ['2606:4700::1%eth0', 'public'],
  // No addresses: who resolves them may take them for something else.
  ['', 'forbidden'],
  ['x', 'forbidden'],
  ['localhost', 'forbidden'],
  ['127.1', 'forbidden'],
  ['2130706433', 'forbidden'],
  ['0x7f.0.0.1', 'forbidden'],
  ['0177.0.0.1', 'forbidden'],
  ['10.0.0.1.', 'forbidden'],
  ['[::1]', 'forbidden'],
  ['1.2.3.4\n%', 'forbidden'],
];

test.each(CASES.map(([address, place, isPublic = false]) => [address, place, isPublic] as const))(
  '%s is %s',
  (address, place, isPublic) => {
    expect([placeOf(address), isPublicAddress(address)]).toEqual([place, isPublic]);
  },
);

describe('a spelling that a URL parser reads as an address', () => {
  test.each([
    ['http://2130706433/', 'loopback'],
    ['http://0x7f.1/', 'loopback'],
    ['http://0177.0.0.1/', 'loopback'],
    ['http://127.0.0.1./', 'loopback'],
    ['http://0xa9fea9fe/', 'forbidden'],
    ['http://0251.0376.0251.0376/', 'forbidden'],
    ['http://169.254.43518/', 'forbidden'],
    ['http://0/', 'forbidden'],
    ['http://①⑥⑨.254.169.254/', 'forbidden'],
    ['http://[::ffff:169.254.169.254]/', 'forbidden'],
    ['http://10.1/', 'private'],
  ] as const)('%s is %s', (url, place) => {
    expect(placeOf(literalAddress(new URL(url).hostname) ?? 'a name')).toBe(place);
  });
});

test('what is loopback to one rule is to the other', () => {
  const both = CASES.filter(
    ([address]) => !/^::(ffff:0:)?127|^(64|2001|2002):/u.test(address) && address !== 'localhost',
  );
  for (const [address, place] of both.filter(([address]) => address !== '[::1]'))
    expect([address, isLoopback(address)]).toEqual([address, place === 'loopback']);
});

test('a host that is a name is no address', () => {
  expect([literalAddress('a.example'), literalAddress('[::1]'), literalAddress('1.2.3.4')]).toEqual([
    undefined,
    '::1',
    '1.2.3.4',
  ]);
});

test.each([
  ['localhost', true],
  ['LOCALHOST.', true],
  ['a.localhost', true],
  ['box.local', true],
  ['web.internal.', true],
  ['notlocal', false],
  ['local.example', false],
])('%s is local: %s', (name, expected) => expect(isLocalName(name)).toBe(expected));

test.each([
  ['metadata', true],
  ['metadata.google.internal', true],
  ['METADATA.google.internal.', true],
  ['metadata.goog', true],
  ['instance-data', true],
  ['metadata.tencentyun.com', true],
  ['metadata.example', false],
  ['xmetadata', false],
])('%s is the name of a metadata service: %s', (name, expected) => expect(isMetadataName(name)).toBe(expected));
