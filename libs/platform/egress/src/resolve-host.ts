import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { egressFailure } from './failures';

/** Finds every address of a host name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const DNS_TIMEOUT_MILLISECONDS = 2000;
const DNS_TRIES = 2;

/**
 * The A and AAAA records of a name, from DNS alone: no hosts file, and not through the thread pool, which a slow
 * untrusted name server could fill. One family may be missing; throws if both are. `servers` replaces the system's.
 */
export async function resolvePublicName(hostname: string, servers?: readonly string[]): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MILLISECONDS, tries: DNS_TRIES });
  if (servers) resolver.setServers(servers);
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const [first] = answers;
  if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
  return addresses;
}

/** The addresses that the operating system returns: a development host may be in its hosts file. */
export async function resolveDevelopmentName(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

async function resolveChecked(hostname: string, resolve: Resolve, isAllowed: (address: string) => boolean) {
  const addresses = await resolve(hostname).catch((error: unknown) => {
    throw egressFailure('egress_unresolved', error);
  });
  if (addresses.length === 0) throw egressFailure('egress_unresolved');
  if (!addresses.every((address) => isIP(address) !== 0 && isAllowed(address))) {
    throw egressFailure('egress_refused_address');
  }
  return addresses.map((address) => ({ address, family: isIP(address) }));
}

/**
 * The lookup of a connection: it resolves the name once, refuses it if one of its addresses is not allowed, and returns
 * exactly the checked addresses, so that a second answer of the name server has no effect.
 */
export function createCheckedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolveChecked(hostname, resolve, isAllowed).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };
}
