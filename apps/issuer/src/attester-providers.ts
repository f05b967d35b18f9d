import { setImmediate } from 'node:timers/promises';
import { createEgress, measuredFetches, type Egress } from '@vestibule/egress';
import { randomBytes, type Configuration, type ProcessContext } from '@vestibule/process';
import { readEgressAuthorities } from './adapters/http/egress-authorities';
import type { AttesterTrust } from './adapters/keys/attester-trust';
import { followAttesterLists } from './adapters/lists/attester-lists';
import type { issuerConfiguration } from './config';
import { readAttesters } from './wallet-demands';

type Process = ProcessContext<Configuration<typeof issuerConfiguration>>;

const SKEW_SECONDS = 60;
const clock = () => new Date();

/** Who may attest wallets and keys; lists of wallet providers are followed from now on. */
export async function attesters(
  { configuration, logger, metrics, readiness }: Process,
  fetcher: Egress,
): Promise<AttesterTrust> {
  const trust = await readAttesters(configuration, logger, (lists) =>
    followAttesterLists(lists, {
      egress: fetcher,
      clock,
      logger,
      metrics,
      skewSeconds: SKEW_SECONDS,
      folder: configuration.trustedListsFolder,
      refreshSeconds: configuration.trustedListsRefreshSeconds,
      graceSeconds: configuration.trustedListsGraceSeconds,
      chance: () => (randomBytes(1)[0] ?? 0) / 255,
      pause: () => setImmediate(),
    }),
  );
  const { lists } = trust;
  if (lists) {
    readiness.require('trustedLists', () => lists.isTried());
    readiness.showExpiry('trustedList', () => lists.firstEnd());
  }
  return trust;
}

/** The only way out to addresses that others chose. */
export function egress({ configuration, metrics }: Process): Egress {
  const { egressDevelopmentHosts = [], egressCaFile, egressProxies: proxies } = configuration;
  return createEgress({
    allowDevelopmentHosts: egressDevelopmentHosts,
    authorities: egressCaFile === undefined ? [] : readEgressAuthorities(egressCaFile),
    proxies,
    observe: measuredFetches(metrics),
  });
}
