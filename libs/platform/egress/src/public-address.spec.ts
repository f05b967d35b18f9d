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

  it.each([
    ['0.0.0.0', '0.255.255.255'],
    ['10.0.0.0', '10.255.255.255'],
    ['100.64.0.0', '100.127.255.255'],
    ['127.0.0.0', '127.255.255.255'],
    ['168.63.129.16', '168.63.129.16'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.0.0', '192.0.0.255'],
    ['192.0.2.0', '192.0.2.255'],
    ['192.88.99.0', '192.88.99.255'],
    ['192.168.0.0', '192.168.255.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['198.51.100.0', '198.51.100.255'],
    ['203.0.113.0', '203.0.113.255'],
    ['224.0.0.0', '255.255.255.255'],
    ['::', '1fff:ffff::'],
    ['2001::', '2001:1ff:ffff::'],
    ['2001:db8::', '2001:db8:ffff::'],
    ['2002::', '2002:ffff::'],
    ['3fff::', '3fff:fff:ffff::'],
    ['4000::', 'ffff:ffff::'],
  ])('VP:Q5 is neither the first nor the last of %s to %s', (first, last) => {
    expect([first, last].map(isPublicAddress)).toEqual([false, false]);
  });

  it.each([
    ['1.0.0.0', '9.255.255.255'],
    ['11.0.0.0', '100.63.255.255'],
    ['100.128.0.0', '126.255.255.255'],
    ['128.0.0.0', '168.63.129.15'],
    ['168.63.129.17', '169.253.255.255'],
    ['169.255.0.0', '172.15.255.255'],
    ['172.32.0.0', '191.255.255.255'],
    ['192.0.1.0', '192.0.1.255'],
    ['192.0.3.0', '192.88.98.255'],
    ['192.88.100.0', '192.167.255.255'],
    ['192.169.0.0', '198.17.255.255'],
    ['198.20.0.0', '198.51.99.255'],
    ['198.51.101.0', '203.0.112.255'],
    ['203.0.114.0', '223.255.255.255'],
    ['2000::', '2000:ffff::'],
    ['2001:200::', '2001:db7:ffff::'],
    ['2001:db9::', '2001:ffff::'],
    ['2003::', '3ffe:ffff::'],
    ['3fff:1000::', '3fff:ffff::'],
  ])('VP:Q5 may be the first and the last of %s to %s', (first, last) => {
    expect([first, last].map(isPublicAddress)).toEqual([true, true]);
  });

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
