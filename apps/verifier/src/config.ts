import { callbackVariables } from '@vestibule/callbacks';
import { EGRESS_PURPOSES } from '@vestibule/egress';
import { microserviceVariables, statusListVariables, trustedListVariables } from '@vestibule/process';
import {
  authorizationEndpointFault,
  DEFAULT_AUTHORIZATION_ENDPOINT,
  REQUEST_URI_METHODS,
  SCA_EVIDENCE_POLICIES,
  SCA_PAYLOAD_TYPES,
  STATUS_SIGNERS,
  SURPLUS_POLICIES,
} from '@vestibule/oid4vp';
import {
  appSchemesSetting,
  booleanSetting,
  choiceSetting,
  defineConfiguration,
  keySetting,
  hostListSetting,
  mappingSetting,
  optionalVariable,
  publicUrlSetting,
  purposeProxiesSetting,
  secondsSetting,
  textSetting,
  variable,
  walletEndpointSetting,
} from '@vestibule/process';
import { CALLBACK_DATA } from './domain/callback-data';

/** Every setting of the verifier. */
export const verifierConfiguration = defineConfiguration({
  ...microserviceVariables,
  ...callbackVariables,
  ...trustedListVariables,
  ...statusListVariables,
  baseUrl: variable('BASE_URL', publicUrlSetting(), {
    category: 'Public addresses',
    description:
      "URL of the gateway's public listener as wallets see it: https (http only for loopback), may include a path",
  }),
  accessCertificateFile: variable('ACCESS_CERTIFICATE_FILE', textSetting(), {
    category: 'Access certificate',
    description:
      'PEM file with the certificate that identifies this verifier to wallets, followed by its intermediates',
  }),
  accessKey: variable('ACCESS_KEY', textSetting(), {
    category: 'Access certificate',
    description:
      'Private key of the access certificate, as PEM (PKCS#8, P-256), or the description of a key in an HSM or KMS (docs/keys.md)',
    secret: true,
  }),
  accessCertificatesFolder: optionalVariable('ACCESS_CERTIFICATES_FOLDER', textSetting(), {
    category: 'Access certificate',
    description:
      'Folder with additional access certificates, each NAME.pem with its key in NAME-key.pem or its description in NAME-key.json; the newest valid one signs',
  }),
  allowSelfSigned: variable('ALLOW_SELF_SIGNED_ACCESS_CERTIFICATE', booleanSetting(), {
    category: 'Access certificate',
    description: 'Development only: accepts a self-signed access certificate, which wallets reject',
    default: 'false',
  }),
  trustFile: variable('TRUST_FILE', textSetting(), {
    category: 'Trust',
    description: 'JSON file with the trust anchors of issuers, their credential types and the trust policy',
  }),
  reloadSeconds: variable('RELOAD_SECONDS', secondsSetting(1, 3_600), {
    category: 'Trust',
    description: 'How often the trust file, anchors and access certificates are checked and reloaded if changed',
    default: '5',
  }),
  egressDevelopmentHosts: optionalVariable('EGRESS_DEVELOPMENT_HOSTS', hostListSetting(), {
    category: 'Trust',
    description:
      'Development only: hosts (host or host:port) whose lists may be fetched over http and from private addresses, and whose issuer metadata may be fetched from private addresses',
  }),
  egressCaFile: optionalVariable('EGRESS_CA_FILE', textSetting(), {
    category: 'Trust',
    description:
      'PEM file with certification authorities, in addition to the public ones, that are trusted for https hosts of lists and issuer metadata',
  }),
  egressProxies: optionalVariable('EGRESS_PROXY', purposeProxiesSetting(EGRESS_PURPOSES), {
    category: 'Trust',
    description: `Outbound HTTP proxy (CONNECT) for fetched documents, such as http://proxy.internal:3128, or comma-separated purpose=url with the purposes ${EGRESS_PURPOSES.join(', ')}; may contain a user and password. It resolves the names of hosts`,
    secret: true,
  }),
  certificateRevocation: variable('CERTIFICATE_REVOCATION', choiceSetting(['off', 'hard-fail', 'soft-fail']), {
    category: 'Trust',
    description:
      'Whether certificates are checked against certificate revocation lists (CRL); soft-fail accepts them if a list is unavailable',
    default: 'off',
  }),
  callbackData: variable('CALLBACK_DATA', choiceSetting(CALLBACK_DATA), {
    category: 'Data protection',
    description:
      'What a callback about verified credentials contains: full is everything; minimal leaves out credentialsRaw and replaces kbKeyId by a pseudonym that only this relying party sees',
    default: 'full',
  }),
  pseudonymKey: optionalVariable('PSEUDONYM_KEY', keySetting(), {
    category: 'Data protection',
    description:
      'Key of the pseudonyms in kbKeyId, 32 bytes in base64url; required by CALLBACK_DATA=minimal. With another key, every holder gets another pseudonym',
    secret: true,
  }),
  surplusClaims: variable('SURPLUS_CLAIMS', choiceSetting(SURPLUS_POLICIES), {
    category: 'Data protection',
    description:
      'What happens to disclosed claims and credentials that were not requested: drop omits them from the callback, refuse fails the response, deliver passes them on',
    default: 'drop',
  }),
  scaEvidence: variable('SCA_EVIDENCE', choiceSetting(SCA_EVIDENCE_POLICIES), {
    category: 'Requests',
    description:
      'Whether a wallet that confirms a payment (TS12) must say how it authenticated its user: required, or when-present for wallets that leave jti, amr or response_mode out',
    default: 'required',
  }),
  scaTransactionTypes: optionalVariable('SCA_TRANSACTION_TYPES', mappingSetting(SCA_PAYLOAD_TYPES), {
    category: 'Requests',
    description:
      'Further transaction data types with a payload of TS12: comma-separated type=payload, such as https://payments.example/transfer=urn:eudi:sca:payment:1',
  }),
  relyingPartiesFile: optionalVariable('RELYING_PARTIES_FILE', textSetting(), {
    category: 'Requests',
    description:
      'JSON file with further relying parties, in whose names requests can be made (relying_party): their access certificates and registrations',
  }),
  registrationFile: optionalVariable('REGISTRATION_FILE', textSetting(), {
    category: 'Requests',
    description:
      'JSON file with the registration certificates of this relying party, which requests contain (verifier_info), and the policy for requests that ask for more than is registered',
  }),
  statusListGraceSeconds: variable('STATUS_LIST_GRACE_SECONDS', secondsSetting(0, 86_400), {
    category: 'Trust',
    description:
      'How long a cached status list may be used past its ttl, but never past its exp, while a new one cannot be fetched; 0 disables this',
    default: '300',
  }),
  statusListSigners: variable('STATUS_LIST_SIGNERS', choiceSetting(STATUS_SIGNERS), {
    category: 'Trust',
    description:
      'Who may sign the status lists of an issuer with a certificate, besides those below anchors for status alone: those with a certificate of the same authority, or only the issuer itself (the same key, or the same authority and subject)',
    default: 'authority',
  }),
  redirectSchemes: optionalVariable('REDIRECT_URI_SCHEMES', appSchemesSetting(), {
    category: 'Requests',
    description:
      'Comma-separated app schemes that a redirect_uri may have in addition to https; schemes that browsers handle themselves are not allowed',
  }),
  allowHttpRedirect: variable('ALLOW_HTTP_REDIRECT_URI', booleanSetting(), {
    category: 'Requests',
    description: 'Development only: accepts a redirect_uri with http for hosts other than loopback',
    default: 'false',
  }),
  authorizationEndpoint: variable(
    'WALLET_AUTHORIZATION_ENDPOINT',
    walletEndpointSetting((text, more) => authorizationEndpointFault(text, more)),
    {
      category: 'Requests',
      description:
        'The wallets that requests invoke, unless a request names another authorization_endpoint: a scheme such as openid4vp://, haip-vp:// or eudi-openid4vp://, or the https URL (universal link, app link) of a wallet',
      default: DEFAULT_AUTHORIZATION_ENDPOINT,
    },
  ),
  requestUriMethod: variable('REQUEST_URI_METHOD', choiceSetting(REQUEST_URI_METHODS), {
    category: 'Requests',
    description:
      'How wallets are told to fetch the request: post lets them send their metadata and a nonce (request_uri_method); wallets that cannot do that use get',
    default: 'get',
  }),
  retentionSeconds: variable('RETENTION_SECONDS', secondsSetting(60, 31_536_000), {
    category: 'Data protection',
    description:
      'How long the status, timestamps and decision record of an ended request are kept; credential data is not kept',
    default: '86400',
  }),
});
