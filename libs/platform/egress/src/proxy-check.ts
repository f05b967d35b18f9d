import { createSecureContext, rootCertificates } from 'node:tls';
import type { DomainError } from '@vestibule/foundation';
import { finding, type Check, type Finding } from '@vestibule/process';
import { createProxyConnector } from './tunnel';

/** A name that nobody has (RFC 6761 §6.4): a proxy that knows the login says that it cannot reach it. */
const NOBODY = 'vestibule-doctor.invalid';
const ANSWER_MILLISECONDS = 5_000;

/** Asks a proxy for a tunnel to nowhere. Resolves to the code of a failure that is the proxy's own. */
function askProxy(url: string, authorities: readonly string[]): Promise<string | undefined> {
  const trusted = createSecureContext(authorities.length > 0 ? { ca: [...rootCertificates, ...authorities] } : {});
  const options = { timeoutMilliseconds: ANSWER_MILLISECONDS, hostContext: trusted, proxyContext: trusted };
  return new Promise((resolve) =>
    createProxyConnector(url, options)(
      { hostname: NOBODY, host: NOBODY, protocol: 'http:', port: '443' },
      (error, socket) => {
        socket?.destroy();
        const code = (error as DomainError | null)?.code;
        resolve(code === 'egress_proxy' || code === 'egress_proxy_login' ? code : undefined);
      },
    ),
  );
}

/** What a proxy may be called in a finding: without its user and password. */
const nameOf = (url: string): string => new URL(url).origin;

/** Whether each outbound proxy of fetched documents answers as one, and accepts the login. */
export function egressProxyCheck<Values extends { readonly egressProxies?: ReadonlyMap<string, string> | undefined }>(
  authoritiesOf: (configuration: Values) => readonly string[],
): Check<Values> {
  return {
    name: 'outbound proxies',
    async run({ configuration }): Promise<readonly Finding[]> {
      const authorities = authoritiesOf(configuration);
      const found: Finding[] = [];
      for (const url of new Set(configuration.egressProxies?.values())) {
        const code = await askProxy(url, authorities);
        if (code !== undefined) found.push(finding('egress_proxy_failed', `${nameOf(url)} (${code})`));
      }
      return found;
    },
  };
}
