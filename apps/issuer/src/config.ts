import { callbackVariables } from '@vestibule/callbacks';
import { microserviceVariables } from '@vestibule/process';
import {
  booleanSetting,
  choiceSetting,
  defineConfiguration,
  integerSetting,
  optionalVariable,
  publicUrlSetting,
  secondsSetting,
  textSetting,
  variable,
} from '@vestibule/process';
import { walletVariables } from './wallet-demands';

/** Everything that the issuer can be told. */
export const issuerConfiguration = defineConfiguration({
  ...microserviceVariables,
  ...callbackVariables,
  ...walletVariables,
  issuerUrl: variable('ISSUER_URL', publicUrlSetting(), {
    category: 'Public addresses',
    description:
      'The Credential Issuer Identifier: https (http only for loopback), no trailing slash; usually BASE_URL of the gateway',
  }),
  certificateFile: variable('ISSUER_CERTIFICATE_FILE', textSetting(), {
    category: 'Issuer certificate',
    description: 'PEM file: the certificate that signs credentials, then its intermediates',
  }),
  key: variable('ISSUER_KEY', textSetting(), {
    category: 'Issuer certificate',
    description: 'PEM of the private key (PKCS#8, P-256) of the issuer certificate',
    secret: true,
  }),
  retiredCertificatesFolder: optionalVariable('RETIRED_ISSUER_CERTIFICATES_FOLDER', textSetting(), {
    category: 'Issuer certificate',
    description:
      'Folder with former issuer certificates, <name>.pem with the key in <name>-key.pem: they sign the status lists of their credentials until the last of these has ended, and nothing else',
  }),
  typeMetadataFolder: variable('TYPE_METADATA_FOLDER', textSetting(), {
    category: 'Credential types',
    description:
      'Folder with one Type Metadata document (SD-JWT VC) for each credential type: <credential_configuration_id>.json',
  }),
  batchSize: variable('BATCH_SIZE', integerSetting(1, 100), {
    category: 'Credential types',
    description: 'Credentials that a wallet may get with one request, one for each key; 1 switches batches off',
    default: '10',
  }),
  credentialEncryption: variable('CREDENTIAL_ENCRYPTION', choiceSetting(['optional', 'required']), {
    category: 'Credential types',
    description: 'Whether credential requests and their answers may be plain, or must be encrypted besides TLS',
    default: 'optional',
  }),
  deferredSeconds: variable('DEFERRED_SECONDS', secondsSetting(60, 2_592_000), {
    category: 'Deferred issuance',
    description:
      'How long a wallet may wait for a promised credential: its access token, and then the offer, live so long',
    default: '604800',
  }),
  deferredIntervalSeconds: variable('DEFERRED_INTERVAL_SECONDS', secondsSetting(1, 86_400), {
    category: 'Deferred issuance',
    description: 'Seconds that a wallet is told to wait before it asks again for a promised credential',
    default: '30',
  }),
  keepClaimsUntilExpiry: variable('KEEP_CLAIMS_UNTIL_EXPIRY', booleanSetting(), {
    category: 'Data protection',
    description:
      'Keeps the sealed claims of an issued offer until the end of its time, for wallets that fetch one credential per request; one callback all the same',
    default: 'false',
  }),
  statusListTtlSeconds: variable('STATUS_LIST_TTL_SECONDS', secondsSetting(30, 86_400), {
    category: 'Credential types',
    description: 'How long verifiers and caches may use a status list (ttl) before they ask for a newer one',
    default: '300',
  }),
  retentionSeconds: variable('RETENTION_SECONDS', secondsSetting(60, 31_536_000), {
    category: 'Data protection',
    description: 'How long status and times of an ended offer are kept; never claims',
    default: '86400',
  }),
});
