import { BlockList, isIP } from 'node:net';

/**
 * IPv4 ranges that are not global unicast (RFC 6890 and the IANA special-purpose registry), and a cloud's special
 * address 168.63.129.16.
 */
const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * In IPv6 only 2000::/3 is global unicast. This excludes everything else: loopback, mapped IPv4 (::ffff:0:0/96),
 * translated IPv4 (64:ff9b::/96, 64:ff9b:1::/48), unique local, link-local, multicast.
 */
const GLOBAL_IPV6 = ['2000::', 3] as const;

/**
 * Within 2000::/3: protocol assignments with Teredo and ORCHID, documentation, and 6to4, which embeds an IPv4 address.
 */
const SPECIAL_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

function blockList(subnets: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}

const specialIpv4 = blockList(SPECIAL_IPV4, 'ipv4');
const globalIpv6 = blockList([GLOBAL_IPV6], 'ipv6');
const specialIpv6 = blockList(SPECIAL_IPV6, 'ipv6');

/**
 * True for an IP address of the public internet; false for special ranges and for anything that is not an IP address.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !specialIpv4.check(address, 'ipv4');
    case 6:
      return !address.includes('%') && globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
    default:
      return false;
  }
}
