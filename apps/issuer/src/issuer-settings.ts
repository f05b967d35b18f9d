import { deriveKey } from '@vestibule/crypto';
import { parseIssuerUrl, requestEncryptionKeys } from '@vestibule/oid4vci';
import type { Configuration, Logger } from '@vestibule/process';
import type { LoadedTypes } from './adapters/files/type-metadata-folder';
import type { IssuerKey } from './adapters/keys/issuer-key';
import type { issuerConfiguration } from './config';
import { issuerDocuments } from './issuer-documents';
import { withRoom } from './domain/answer-size';
import { requireBatches } from './domain/batches';
import { readWalletDemands } from './wallet-demands';

type Values = Configuration<typeof issuerConfiguration>;

/** The Credential Issuer Identifier of this issuer. */
export const issuerUrlOf = ({ issuerUrl }: Values) => parseIssuerUrl(issuerUrl, { allowHttpLoopback: true });

/** What the use cases need from startup on: settings, keys derived from the sealing keys, documents. */
export type IssuerSettings = Awaited<ReturnType<typeof issuerSettings>>;

interface Loaded {
  readonly types: LoadedTypes;
  /** Signs credentials now. */
  readonly key: IssuerKey;
  readonly clock: () => Date;
  readonly logger: Logger;
}

/** Derives the settings of the use cases from the configuration. Throws configuration faults. */
export async function issuerSettings(configuration: Values, { types: loaded, key, clock, logger }: Loaded) {
  const { sealingKeys, credentialEncryption, deferredSeconds, deferredIntervalSeconds } = configuration;
  const derived = (purpose: string) => sealingKeys.map((sealingKey) => deriveKey(sealingKey, purpose));
  const issuerUrl = issuerUrlOf(configuration);
  const batchSize = configuration.batchSize > 1 ? configuration.batchSize : undefined;
  const demands = await readWalletDemands(configuration, loaded.types.values(), logger);
  const requestEncryptionSecrets = derived('request encryption');
  const encryptionRequired = credentialEncryption === 'required';
  const encryption = () => ({
    key: requestEncryptionKeys(requestEncryptionSecrets, clock()).published,
    required: encryptionRequired,
  });
  const { x5c } = key.signerAt(clock());
  requireBatches(loaded.types.values(), configuration.batchSize);
  const types = withRoom(loaded.types, { batchSize: configuration.batchSize, x5c });
  return {
    issuerUrl,
    types,
    batchSize,
    ...demands,
    nonceKeys: derived('nonce'),
    notificationKeys: derived('notification'),
    handOverKeys: derived('hand-over'),
    requestEncryptionSecrets,
    encryptionRequired,
    deferredSeconds,
    deferredIntervalSeconds,
    deferredNotificationId: configuration.deferredNotificationId,
    redeliverySeconds: configuration.redeliverySeconds,
    credentialOfferEndpoint: configuration.credentialOfferEndpoint,
    statusListTtlSeconds: configuration.statusListTtlSeconds,
    signsMetadata: configuration.signedMetadata,
    documents: issuerDocuments({ issuerUrl, loaded, batchSize, demands, encryption, x5c }),
  };
}
