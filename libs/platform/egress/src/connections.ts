import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { buildConnector, Client } from 'undici';
import { createConnector, type LimitedConnector } from './connect';
import type { EgressTarget } from './egress-url';
import type { EgressPurpose } from './observed';
import { isPublicAddress } from './public-address';
import { createCheckedLookup, resolveDevelopmentName, resolvePublicName, type Resolve } from './resolve-host';
import { createProxyConnector } from './tunnel';

/** How hosts are reached. */
export interface ConnectionsOptions {
  readonly authorities?: readonly string[];
  readonly resolve?: Resolve;
  readonly proxies?: ReadonlyMap<EgressPurpose, string> | undefined;
}

/** One request to one host. */
export interface Hop {
  readonly target: EgressTarget;
  readonly purpose: EgressPurpose;
  /** The size of the largest body that is of use. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Lends a connection that is opened for one request and closed with it. */
export interface Connections {
  use<T>(hop: Hop, request: (client: Client) => Promise<T>): Promise<T>;
  /** Ends the requests in progress, and all later ones, with this error. */
  close(error: Error): Promise<void>;
}

const MAX_HEADER_BYTES = 16_384;
/** What a host may send besides a body that is written without waste: headers, and all that surrounds them. */
const WIRE_OVERHEAD_BYTES = 65_536;
/** How much may be sent for each byte of a body: chunks of one byte have six. */
const WIRE_FACTOR = 2;
const CONNECT_TIMEOUT_MILLISECONDS = 5000;

/** Created once: parsing more than a hundred authorities for each connection would take milliseconds. */
function createTrust({ authorities = [] }: ConnectionsOptions): SecureContext {
  return createSecureContext(authorities.length > 0 ? { ca: [...rootCertificates, ...authorities] } : {});
}

/** Connects to checked addresses of a name. */
function directly(resolveName: Resolve, isAllowed: (address: string) => boolean): buildConnector.connector {
  const lookup = createCheckedLookup(resolveName, isAllowed);
  return buildConnector({ lookup, timeout: CONNECT_TIMEOUT_MILLISECONDS });
}

/** Decides by target and purpose how a connection is opened. */
function createConnectors(options: ConnectionsOptions): (hop: Hop) => LimitedConnector {
  const { resolve } = options;
  const timeoutMilliseconds = CONNECT_TIMEOUT_MILLISECONDS;
  const secureContext = createTrust(options);
  const over = (toHost: buildConnector.connector) => createConnector({ toHost, timeoutMilliseconds, secureContext });
  const open = over(directly(resolve ?? ((hostname) => resolvePublicName(hostname)), isPublicAddress));
  const development = over(directly(resolve ?? resolveDevelopmentName, () => true));
  const through = { timeoutMilliseconds, hostContext: secureContext, proxyContext: secureContext };
  const tunnels = new Map<EgressPurpose, LimitedConnector>();
  for (const [purpose, url] of options.proxies ?? []) tunnels.set(purpose, createProxyConnector(url, through));
  return ({ target, purpose }) => (target.isDevelopment ? development : (tunnels.get(purpose) ?? open));
}

/**
 * A pool would connect again for a request that was given up, and send a later one over that connection: after a
 * network failure, one that was opened during it and stays silent.
 */
export function createConnections(options: ConnectionsOptions): Connections {
  const connectorFor = createConnectors(options);
  const clients = new Set<Client>();
  let closedBy: Error | undefined;
  return {
    async use(hop, request) {
      if (closedBy) throw closedBy;
      const { target, maxBytes, signal } = hop;
      signal.throwIfAborted();
      const connect = connectorFor(hop)(WIRE_OVERHEAD_BYTES + maxBytes * WIRE_FACTOR);
      const client = new Client(target.url.origin, { pipelining: 0, maxHeaderSize: MAX_HEADER_BYTES, connect });
      // Not the request alone: its client would connect again for it before it is destroyed.
      const giveUp = () => void client.destroy(signal.reason as Error);
      signal.addEventListener('abort', giveUp, { once: true });
      clients.add(client);
      try {
        return await request(client);
      } finally {
        signal.removeEventListener('abort', giveUp);
        clients.delete(client);
        // Nobody waits for its end: a place of the host must not depend on it.
        void client.destroy();
      }
    },
    async close(error) {
      closedBy = error;
      await Promise.all([...clients].map((client) => client.destroy(error)));
    },
  };
}
