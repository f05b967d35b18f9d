import { countedUses, createEgress, measuredFetches, type Egress } from '@vestibule/egress';
import type { Configuration, ProcessContext } from '@vestibule/process';
import { readEgressAuthorities } from './adapters/http/egress-authorities';
import { IssuerMetadataDocuments } from './adapters/http/issuer-metadata';
import { RevocationLists } from './adapters/http/revocation-lists';
import { StatusLists } from './adapters/http/status-lists';
import type { Keys } from './adapters/keys/open-keys';
import type { verifierConfiguration } from './config';
import type { CheckRevocation } from './domain/ports';
import { SKEW_SECONDS } from './trust-providers';

type Process = ProcessContext<Configuration<typeof verifierConfiguration>>;

const clock = () => new Date();

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

/** Undefined if revocation is not checked. */
export function revocation({ configuration, metrics }: Process, fetcher: Egress): CheckRevocation | undefined {
  const mode = configuration.certificateRevocation;
  if (mode === 'off') return undefined;
  const lists = new RevocationLists({ egress: fetcher, clock, mode, onUse: countedUses(metrics, 'crl') });
  return (chain) => lists.check(chain);
}

/** The status lists of credentials. */
export function statusLists(
  { configuration, metrics }: Process,
  fetcher: Egress,
  { trust }: Keys,
  checkRevocation: CheckRevocation | undefined,
): StatusLists {
  const { statusListGraceSeconds: graceSeconds, statusListMaxAgeSeconds: maxAgeSeconds } = configuration;
  const onUse = countedUses(metrics, 'status-lists');
  const { statusListSigners: statusSigners } = configuration;
  const signerTrust = () => ({ ...trust(), statusSigners });
  const rules = { clock, skewSeconds: SKEW_SECONDS, graceSeconds, maxAgeSeconds, checkRevocation };
  return new StatusLists({ ...rules, egress: fetcher, trust: signerTrust, onUse });
}

/** The metadata of issuers whose keys are not in certificates. */
export const issuerMetadata = ({ metrics }: Process, fetcher: Egress): IssuerMetadataDocuments =>
  new IssuerMetadataDocuments({ egress: fetcher, clock, onUse: countedUses(metrics, 'issuer-metadata') });
