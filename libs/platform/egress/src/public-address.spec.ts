import fc from 'fast-check';
import { isPublicAddress } from './index';

describe('an address of the public internet', () => {
  it.each(['1.1.1.1', '93.184.216.34', '172.15.255.255', '172.32.0.1', '100.63.0.1', '100.128.0.1', '192.0.1.1'])(
    'VP:Q5 may be %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each(['2606:4700:4700::1111', '2a00:1450:4001::1', '2001:200::1', '3ffe::1'])('VP:Q5 may be %s', (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ['this network', '0.0.0.0'],
    ['this network', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['carrier-grade NAT', '100.127.255.255'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local, the metadata of clouds', '169.254.169.254'],
    ['the wire server of one cloud', '168.63.129.16'],
    ['protocol assignments', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['6to4 relay', '192.88.99.1'],
    ['benchmarking', '198.19.0.1'],
    ['multicast', '224.0.0.1'],
    ['multicast', '239.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4-compatible', '::7f00:1'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped though public', '::ffff:1.1.1.1'],
    ['translated IPv4', '64:ff9b::7f00:1'],
    ['translated IPv4', '64:ff9b:1::1'],
    ['discard-only', '100::1'],
    ['Teredo', '2001::1'],
    ['ORCHID', '2001:20::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['6to4', '2002:7f00:1::1'],
    ['segment routing', '5f00::1'],
    ['unique local', 'fc00::1'],
    ['unique local', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%lo'],
    ['global with a zone', '2606:4700::1%lo'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
  ])('VP:Q5 is not %s (%s)', (_, address) => expect(isPublicAddress(address)).toBe(false));

  it.each(['', 'localhost', '127.1', '0x7f000001', '2130706433', '1.1.1.1:80', '[::1]', ' 1.1.1.1'])(
    'VP:Q5 is not %j, which is no address',
    (text) => expect(isPublicAddress(text)).toBe(false),
  );

  it('VP:Q5 is never one of IPv6 outside 2000::/3', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const first = Number.parseInt(address.startsWith(':') ? '0' : (address.split(':')[0] ?? ''), 16);
        if (first < 0x2000 || first > 0x3fff) expect(isPublicAddress(address)).toBe(false);
      }),
    );
  });
});
