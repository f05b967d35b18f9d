import { callbackVariables } from '@vestibule/callbacks';
import { credentialOfferEndpointFault, DEFAULT_CREDENTIAL_OFFER_ENDPOINT } from '@vestibule/oid4vci';
import { microserviceVariables, statusListVariables, trustedListVariables } from '@vestibule/process';
import {
  booleanSetting,
  choiceSetting,
  defineConfiguration,
  integerSetting,
  hostListSetting,
  optionalVariable,
  publicUrlSetting,
  purposeProxiesSetting,
  secondsSetting,
  textSetting,
  variable,
  walletEndpointSetting,
} from '@vestibule/process';
import { walletVariables } from './wallet-demands';

/** Every setting of the issuer. */
export const issuerConfiguration = defineConfiguration({
  ...microserviceVariables,
  ...callbackVariables,
  ...trustedListVariables,
  ...statusListVariables,
  ...walletVariables,
  issuerUrl: variable('ISSUER_URL', publicUrlSetting(), {
    category: 'Public addresses',
    description:
      'The Credential Issuer Identifier: https (http only for loopback), no trailing slash; usually BASE_URL of the gateway',
  }),
  certificateFile: variable('ISSUER_CERTIFICATE_FILE', textSetting(), {
    category: 'Issuer certificate',
    description: 'PEM file with the certificate that signs credentials, followed by its intermediates',
  }),
  key: variable('ISSUER_KEY', textSetting(), {
    category: 'Issuer certificate',
    description:
      'Private key of the issuer certificate, as PEM (PKCS#8, P-256), or the description of a key in an HSM or KMS (docs/keys.md)',
    secret: true,
  }),
  certificatesFolder: optionalVariable('ISSUER_CERTIFICATES_FOLDER', textSetting(), {
    category: 'Issuer certificate',
    description:
      'Folder with further issuer certificates, each <name>.pem with its key in <name>-key.pem or its description in <name>-key.json. Of all that are valid, the one that begins last signs credentials; the others sign the status lists of theirs',
  }),
  reloadSeconds: variable('RELOAD_SECONDS', secondsSetting(1, 3_600), {
    category: 'Issuer certificate',
    default: '5',
    description: 'How often the issuer certificates and their folders are checked and reloaded if changed',
  }),
  accessCertificateFile: optionalVariable('ISSUER_ACCESS_CERTIFICATE_FILE', textSetting(), {
    category: 'Issuer certificate',
    description:
      'PEM file with the access certificate of the issuer, followed by its intermediates: it signs metadata instead of the issuer certificate, and is checked and reloaded if changed. The profile eudi requires it',
  }),
  accessKey: optionalVariable('ISSUER_ACCESS_KEY', textSetting(), {
    category: 'Issuer certificate',
    description:
      'Private key of the access certificate, as PEM (PKCS#8, P-256) or the description of a key in an HSM or KMS (docs/keys.md): another one than that of the issuer certificate',
    secret: true,
  }),
  retiredCertificatesFolder: optionalVariable('RETIRED_ISSUER_CERTIFICATES_FOLDER', textSetting(), {
    category: 'Issuer certificate',
    description:
      'Folder with retired issuer certificates, each <name>.pem with its key in <name>-key.pem or its description in <name>-key.json. They only sign the status lists of their credentials, until the last of these has expired',
  }),
  typeMetadataFolder: variable('TYPE_METADATA_FOLDER', textSetting(), {
    category: 'Credential types',
    description:
      'Folder with one Type Metadata document (SD-JWT VC) per credential type: <credential_configuration_id>.json',
  }),
  egressDevelopmentHosts: optionalVariable('EGRESS_DEVELOPMENT_HOSTS', hostListSetting(), {
    category: 'Wallets',
    description:
      'Development only: hosts (host or host:port) whose status lists of attestations may be fetched over http and from private addresses',
  }),
  egressCaFile: optionalVariable('EGRESS_CA_FILE', textSetting(), {
    category: 'Wallets',
    description:
      'PEM file with certification authorities, in addition to the public ones, that are trusted for https hosts of status lists of attestations',
  }),
  egressProxies: optionalVariable('EGRESS_PROXY', purposeProxiesSetting(['status-lists', 'trust-lists']), {
    category: 'Wallets',
    description:
      'Outbound HTTP proxy (CONNECT) for fetched documents, such as http://proxy.internal:3128, or comma-separated purpose=url with the purposes status-lists, trust-lists; may contain a user and password. It resolves the names of hosts',
    secret: true,
  }),
  batchSize: variable('BATCH_SIZE', integerSetting(1, 100), {
    category: 'Credential types',
    description: 'Maximum number of credentials per request, one for each key; 1 disables batches',
    default: '10',
  }),
  credentialEncryption: variable('CREDENTIAL_ENCRYPTION', choiceSetting(['optional', 'required']), {
    category: 'Credential types',
    description: 'Whether credential requests and responses must be encrypted in addition to TLS',
    default: 'optional',
  }),
  credentialOfferEndpoint: variable(
    'WALLET_CREDENTIAL_OFFER_ENDPOINT',
    walletEndpointSetting((text, more) => credentialOfferEndpointFault(text, more)),
    {
      category: 'Credential types',
      description:
        'The wallets that offers invoke, unless an offer names another credential_offer_endpoint: a scheme such as openid-credential-offer:// or haip-vci://, or the https URL (universal link, app link) of a wallet',
      default: DEFAULT_CREDENTIAL_OFFER_ENDPOINT,
    },
  ),
  deferredSeconds: variable('DEFERRED_SECONDS', secondsSetting(60, 2_592_000), {
    category: 'Deferred issuance',
    description:
      'How long a wallet may wait for a deferred credential; also the lifetime of its access token, and of the offer once the wallet has a transaction_id',
    default: '604800',
  }),
  deferredIntervalSeconds: variable('DEFERRED_INTERVAL_SECONDS', secondsSetting(1, 86_400), {
    category: 'Deferred issuance',
    description: 'Interval in seconds at which wallets are told to poll for a deferred credential',
    default: '30',
  }),
  deferredNotificationId: variable('DEFERRED_NOTIFICATION_ID', booleanSetting(), {
    category: 'Deferred issuance',
    description:
      'Whether the answer with deferred credentials has a notification_id; false for wallets that refuse it there',
    default: 'true',
  }),
  redeliverySeconds: variable('REDELIVERY_SECONDS', secondsSetting(0, 600), {
    category: 'Data protection',
    description:
      'How long the answer of a credential request is kept for a wallet that did not receive it, sealed under its access token, and how long ISSUED waits at most until the answer was handed over; 0 keeps no answers and no tokens, and sends ISSUED at once',
    default: '120',
  }),
  keepClaimsUntilExpiry: variable('KEEP_CLAIMS_UNTIL_EXPIRY', booleanSetting(), {
    category: 'Data protection',
    description:
      'Keeps the sealed claims of an issued offer until the offer expires, for wallets that fetch one credential per request. There is still only one callback. Change it in all replicas within 15 minutes; half an hour after the restart that switches it off, what was kept is deleted',
    default: 'false',
  }),
  statusListTtlSeconds: variable('STATUS_LIST_TTL_SECONDS', secondsSetting(30, 86_400), {
    category: 'Credential types',
    description: 'How long verifiers and caches may use a status list (ttl) before they fetch it again',
    default: '300',
  }),
  retentionSeconds: variable('RETENTION_SECONDS', secondsSetting(60, 31_536_000), {
    category: 'Data protection',
    description:
      'How long the status and timestamps of an ended offer are kept, at least REDELIVERY_SECONDS; claims are not kept',
    default: '86400',
  }),
});
