import { BlockList, isIP } from 'node:net';
import type { Logger } from '@vestibule/process';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const HEADERS = ['x-forwarded-for', 'forwarded'] as const;
const PERIOD_MILLISECONDS = 3_600_000;
/** How many peers are logged per period. */
const MAX_PEERS = 20;

/**
 * Where proxies usually are: loopback, private and link-local addresses (RFC 1918, RFC 6598, RFC 4193, RFC 3927, RFC
 * 4291).
 */
const INTERNAL = ['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16', '::1', 'fc00::/7', 'fe80::/10']; // prettier-ignore

const SENTENCE =
  'requests carry X-Forwarded-For or Forwarded, but come from a peer that is not in TRUSTED_PROXIES: if it is your proxy, all wallets behind it share one rate limit; set TRUSTED_PROXIES to its address';

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function listOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', prefix] = subnet.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return list;
}

/** The address at the other end of the connection; an IPv4-mapped one as plain IPv4. */
function peerOf({ raw }: FastifyRequest): string {
  return (raw.socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
}

export interface UntrustedProxiesOptions {
  /** Trusted addresses and subnets. */
  readonly trusted: readonly string[];
  readonly logger: Pick<Logger, 'warn'>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/**
 * Warns of peers that forward for others but are not trusted: each once an hour, and a bounded number of them. A public
 * address may be that of a wallet that sends such a header itself, so it is not logged: all public addresses count as
 * one peer.
 */
export function watchUntrustedProxies(instance: FastifyInstance, options: UntrustedProxiesOptions): void {
  const [trusted, internal] = [listOf(options.trusted), listOf(INTERNAL)];
  const warned = new Set<string>();
  let endsAt = 0;
  const isNew = (peer: string): boolean => {
    const now = options.now();
    if (now >= endsAt) {
      warned.clear();
      endsAt = now + PERIOD_MILLISECONDS;
    }
    if (warned.has(peer) || warned.size >= MAX_PEERS) return false;
    warned.add(peer);
    return true;
  };
  instance.addHook('onRequest', (request, _reply, done) => {
    if (HEADERS.some((name) => request.headers[name] !== undefined)) {
      const address = peerOf(request);
      const isKnown = isIP(address) !== 0;
      if (!isKnown || !trusted.check(address, familyOf(address))) {
        const peer = isKnown && internal.check(address, familyOf(address)) ? address : 'a public address';
        if (isNew(peer)) options.logger.warn(SENTENCE, { peer });
      }
    }
    done();
  });
}
