import { createSecureContext, rootCertificates } from 'node:tls';
import { createProxyConnector } from '@vestibule/egress';
import { ANY_TARGET, sharedLookup } from '@vestibule/process';
import { buildConnector } from 'undici';
import type { CallbackTarget } from './callback-target';

const CONNECT_MILLISECONDS = 5_000;

/** The proxy to an origin, if it has one. */
export function findProxy({ proxies }: Pick<CallbackTarget, 'proxies'>, origin: string): string | undefined {
  return proxies?.get(origin) ?? proxies?.get(ANY_TARGET);
}

/** Connects to a receiver: directly, or through its proxy. */
export function createReceiverConnector(
  target: Pick<CallbackTarget, 'authorities' | 'proxies'>,
  origin: string,
  milliseconds = CONNECT_MILLISECONDS,
): buildConnector.connector {
  const { authorities } = target;
  const proxy = findProxy(target, origin);
  const timeoutMilliseconds = Math.min(CONNECT_MILLISECONDS, milliseconds);
  const ca = authorities === undefined ? {} : { ca: authorities };
  if (proxy === undefined) return buildConnector({ timeout: timeoutMilliseconds, lookup: sharedLookup, ...ca });
  const hostContext = createSecureContext(ca);
  // The proxy is another host than the receivers: an authority of theirs alone need not know it.
  const proxyContext =
    authorities === undefined ? hostContext : createSecureContext({ ca: [...rootCertificates, authorities] });
  // Connections are kept for many events, and of each response little is read.
  return createProxyConnector(proxy, { timeoutMilliseconds, hostContext, proxyContext })(Infinity);
}
