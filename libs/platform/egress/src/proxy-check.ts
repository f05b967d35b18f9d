import { createSecureContext, rootCertificates } from 'node:tls';
import type { DomainError } from '@vestibule/foundation';
import { finding, type Check, type Finding } from '@vestibule/process';
import { isPublicAddress } from './public-address';
import { resolveDevelopmentName } from './resolve-host';
import { createProxyConnector } from './tunnel';

/** A name that nobody has (RFC 6761 §6.4): a proxy that knows the login says that it cannot reach it. */
const NOBODY = 'vestibule-doctor.invalid';
const ANSWER_MILLISECONDS = 5_000;

/** Where clouds tell a machine who it is: nothing that the outside names leads there. */
const INSTANCE: Place = { host: '169.254.169.254', port: 80 };

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Asks a proxy for a tunnel. Resolves to the code of the failure, undefined if there is one. */
function askProxy(url: string, { host, port }: Place, authorities: readonly string[]): Promise<string | undefined> {
  const trusted = createSecureContext(authorities.length > 0 ? { ca: [...rootCertificates, ...authorities] } : {});
  const options = { timeoutMilliseconds: ANSWER_MILLISECONDS, hostContext: trusted, proxyContext: trusted };
  return new Promise((resolve) =>
    createProxyConnector(url, options)(Infinity)(
      { hostname: host, host, protocol: 'http:', port: String(port) },
      (error, socket) => {
        socket?.destroy();
        resolve(error ? ((error as DomainError).code ?? 'egress_proxy') : undefined);
      },
    ),
  );
}

/** What a proxy may be called in a finding: without its user and password. */
const nameOf = (url: string): string => new URL(url).origin;

/** The failure of a proxy that is its own, whatever it is asked for. */
async function faultOf(url: string, authorities: readonly string[]): Promise<string | undefined> {
  const code = await askProxy(url, { host: NOBODY, port: 443 }, authorities);
  return code === 'egress_proxy' || code === 'egress_proxy_login' ? code : undefined;
}

/** The proxy itself, at its addresses that are not public: it listens there, so only its rules can refuse a tunnel. */
async function ownPlaces(url: string): Promise<readonly Place[]> {
  const { hostname, port, protocol } = new URL(url);
  const addresses = await resolveDevelopmentName(hostname.replace(/^\[|\]$/g, ''));
  const inside = addresses.filter((address) => !isPublicAddress(address));
  return inside.map((host) => ({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)) }));
}

/** An address that is not public, to which a proxy opens a tunnel; undefined if none was found. */
async function openPlace(url: string, authorities: readonly string[]): Promise<string | undefined> {
  for (const place of [...(await ownPlaces(url)), INSTANCE]) {
    if ((await askProxy(url, place, authorities)) === undefined) return `${place.host}:${place.port}`;
  }
  return undefined;
}

/**
 * Whether each outbound proxy of fetched documents answers as one, accepts the login, and refuses addresses that are not
 * public, as far as that can be seen from outside.
 */
export function egressProxyCheck<Values extends { readonly egressProxies?: ReadonlyMap<string, string> | undefined }>(
  authoritiesOf: (configuration: Values) => readonly string[],
): Check<Values> {
  return {
    name: 'outbound proxies',
    async run({ configuration }): Promise<readonly Finding[]> {
      const authorities = authoritiesOf(configuration);
      const found: Finding[] = [];
      for (const url of new Set(configuration.egressProxies?.values())) {
        const code = await faultOf(url, authorities);
        if (code !== undefined) {
          found.push(finding('egress_proxy_failed', `${nameOf(url)} (${code})`));
          continue;
        }
        const place = await openPlace(url, authorities);
        if (place !== undefined) found.push(finding('egress_proxy_leads_inside', `${nameOf(url)} to ${place}`));
      }
      return found;
    },
  };
}
