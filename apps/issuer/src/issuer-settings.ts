import { deriveKey } from '@vestibule/crypto';
import { keptRequestEncryptionKeys, parseIssuerUrl } from '@vestibule/oid4vci';
import type { Configuration, Logger } from '@vestibule/process';
import type { LoadedIssuer, LoadedTypes } from './adapters/files/type-metadata-folder';
import type { AttesterTrust } from './adapters/keys/attester-trust';
import { leadingChain, type IssuerKeys } from './adapters/keys/issuer-keys';
import type { issuerConfiguration } from './config';
import { issuerDocuments } from './issuer-documents';
import { withRoom } from './domain/answer-size';
import { requireBatches } from './domain/batches';
import type { IssuableType } from './domain/credential-offer';
import { defaultReusePolicy } from './domain/profile';
import { maintainedSeconds } from './use-cases/check-attestation-status';
import { walletDemands } from './wallet-demands';

type Values = Configuration<typeof issuerConfiguration>;

/** The Credential Issuer Identifier of this issuer. */
export const issuerUrlOf = ({ issuerUrl }: Values) => parseIssuerUrl(issuerUrl, { allowHttpLoopback: true });

/** What the use cases of all identifiers need from startup on: settings, and keys derived from the sealing keys. */
export type IssuerSettings = ReturnType<typeof issuerSettings>;

/** What the use cases of one issuer identifier need besides. */
export type IdentifierSettings = ReturnType<typeof identifierSettings>;

interface Loaded {
  readonly types: LoadedTypes;
  /** Who may attest wallets and keys. */
  readonly attesters: AttesterTrust;
  /** Sign credentials and status lists. */
  readonly keys: Pick<IssuerKeys, 'current' | 'retired'>;
  readonly clock: () => Date;
  readonly logger: Pick<Logger, 'warn'>;
}

/** What the profile and the settings add to a type. */
function completed(type: IssuableType, { batchSize, deferredSeconds }: Values): IssuableType {
  const { issuer, isPid, reusePolicy, validitySeconds } = type;
  const needsPolicy = issuer.profile === 'eudi' && reusePolicy === undefined;
  return {
    ...type,
    ...(needsPolicy ? { reusePolicy: defaultReusePolicy(batchSize, validitySeconds), mostCredentials: batchSize } : {}),
    ...(isPid ? { statusPeriodSeconds: maintainedSeconds(type, deferredSeconds) } : {}),
  };
}

/** The types with everything that is decided at startup. */
function completedTypes(configuration: Values, { types }: LoadedTypes, chain: () => readonly string[]) {
  requireBatches(types.values(), configuration.batchSize);
  const all = new Map([...types].map(([id, type]) => [id, completed(type, configuration)]));
  return withRoom(all, { batchSize: configuration.batchSize, chain });
}

/**
 * The chains whose keys a verifier without `x5c` needs: the current one, those of other credentials that are still valid, and
 * those that begin later, which copies of the document must have by then.
 */
const chainsAt = ({ current, retired }: Loaded['keys'], now: Date): readonly (readonly string[])[] =>
  [current, ...retired.filter((key) => key.chainEndsAt > now)].map((key) => leadingChain({ current: key }));

/** Keys of an identifier: what is made with those of one is invalid at another. */
function keysFor({ sealingKeys }: Values, name: string) {
  const place = name === '' ? '' : `\0${name}`;
  return (purpose: string) => sealingKeys.map((sealingKey) => deriveKey(sealingKey, `${purpose}${place}`));
}

function identifierSettings(
  configuration: Values,
  issuer: LoadedIssuer,
  common: Pick<Loaded, 'attesters' | 'keys' | 'clock'> & {
    readonly types: ReadonlyMap<string, IssuableType>;
    readonly isOwn: (configurationId: string) => boolean;
  },
) {
  const { identity } = issuer;
  const { attesters, keys, clock, isOwn } = common;
  const derived = keysFor(configuration, identity.name);
  const batchSize = configuration.batchSize > 1 ? configuration.batchSize : undefined;
  const types: ReadonlyMap<string, IssuableType> = new Map([...common.types].filter(([id]) => issuer.types.has(id)));
  const demands = walletDemands(configuration, issuer, attesters);
  const requestEncryptionSecrets = derived('request encryption');
  const encryptionRequired = configuration.credentialEncryption === 'required';
  const keysAt = keptRequestEncryptionKeys(requestEncryptionSecrets);
  const encryption = () => ({
    key: keysAt(clock()).published,
    required: encryptionRequired,
  });
  const { display, issuerInfo } = issuer;
  return {
    identity,
    issuerUrl: identity.url,
    types,
    /**
     * Is an offer of this type one of this identifier? One of a type that is not configured here may be of any: nothing is
     * accepted or signed for it, but its wallet has to learn that it may come back.
     */
    isOwn,
    batchSize,
    ...demands,
    nonceKeys: derived('nonce'),
    notificationKeys: derived('notification'),
    requestEncryptionSecrets,
    encryptionRequired,
    signsMetadata: configuration.signedMetadata || identity.profile === 'eudi',
    documents: issuerDocuments({
      issuerUrl: identity.url,
      types,
      display,
      issuerInfo,
      batchSize,
      demands,
      encryption,
      chains: () => chainsAt(keys, clock()),
    }),
  };
}

/** ETSI TS 119 472-3 has wallets show their users who is registered. */
function reportMissingInfo({ identity, issuerInfo }: LoadedIssuer, { logger }: Loaded): void {
  if (identity.profile !== 'eudi' || issuerInfo.length > 0) return;
  logger.warn('an issuer for EU wallets has no issuer_info', { issuer: identity.url });
}

/** Derives the settings of the use cases from the configuration. Throws configuration faults. */
export function issuerSettings(configuration: Values, loaded: Loaded) {
  const { types: found, keys } = loaded;
  const types = completedTypes(configuration, found, () => leadingChain(keys));
  const identifiers = found.issuers.map((issuer) => {
    const isOwn = (id: string) => issuer.types.has(id) || !types.has(id);
    reportMissingInfo(issuer, loaded);
    return identifierSettings(configuration, issuer, { ...loaded, types, isOwn });
  });
  return {
    issuerUrl: issuerUrlOf(configuration),
    types,
    identifiers,
    handOverKeys: keysFor(configuration, '')('hand-over'),
    deferredSeconds: configuration.deferredSeconds,
    deferredIntervalSeconds: configuration.deferredIntervalSeconds,
    deferredNotificationId: configuration.deferredNotificationId,
    redeliverySeconds: configuration.redeliverySeconds,
    credentialOfferEndpoint: configuration.credentialOfferEndpoint,
    statusListTtlSeconds: configuration.statusListTtlSeconds,
  };
}
