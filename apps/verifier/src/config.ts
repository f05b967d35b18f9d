import { callbackVariables } from '@vestibule/callbacks';
import { microserviceVariables } from '@vestibule/process';
import { SURPLUS_POLICIES } from '@vestibule/oid4vp';
import {
  appSchemesSetting,
  booleanSetting,
  choiceSetting,
  defineConfiguration,
  listSetting,
  optionalVariable,
  publicUrlSetting,
  secondsSetting,
  textSetting,
  variable,
} from '@vestibule/process';

/** Everything that the verifier can be told. */
export const verifierConfiguration = defineConfiguration({
  ...microserviceVariables,
  ...callbackVariables,
  baseUrl: variable('BASE_URL', publicUrlSetting(), {
    category: 'Public addresses',
    description:
      'Where wallets reach the public listener of the gateway: https (http only for loopback), a path is allowed',
  }),
  accessCertificateFile: variable('ACCESS_CERTIFICATE_FILE', textSetting(), {
    category: 'Access certificate',
    description: 'PEM file: the certificate that wallets know this verifier by, then its intermediates',
  }),
  accessKey: variable('ACCESS_KEY', textSetting(), {
    category: 'Access certificate',
    description: 'PEM of the private key (PKCS#8, P-256) of the access certificate',
    secret: true,
  }),
  accessCertificatesFolder: optionalVariable('ACCESS_CERTIFICATES_FOLDER', textSetting(), {
    category: 'Access certificate',
    description: 'Folder of further access certificates: NAME.pem with its key in NAME-key.pem; the newest valid signs',
  }),
  allowSelfSigned: variable('ALLOW_SELF_SIGNED_ACCESS_CERTIFICATE', booleanSetting(), {
    category: 'Access certificate',
    description: 'Development only: accept a self-signed access certificate, which wallets refuse',
    default: 'false',
  }),
  trustFile: variable('TRUST_FILE', textSetting(), {
    category: 'Trust',
    description: 'JSON file that names the trust anchors of issuers, their credential types and the policy',
  }),
  reloadSeconds: variable('RELOAD_SECONDS', secondsSetting(1, 3_600), {
    category: 'Trust',
    description: 'How often trust file, anchors and access certificates are looked at; changed ones are loaded',
    default: '5',
  }),
  egressDevelopmentHosts: optionalVariable('EGRESS_DEVELOPMENT_HOSTS', listSetting(), {
    category: 'Trust',
    description:
      'Development only: hosts (host or host:port) whose lists may come by http and from private addresses, issuer metadata from private addresses',
  }),
  egressCaFile: optionalVariable('EGRESS_CA_FILE', textSetting(), {
    category: 'Trust',
    description:
      'PEM file of certification authorities that https hosts of lists and issuer metadata may have besides the public ones',
  }),
  certificateRevocation: variable('CERTIFICATE_REVOCATION', choiceSetting(['off', 'hard-fail', 'soft-fail']), {
    category: 'Trust',
    description:
      'Whether certificates are looked up in revocation lists (CRL); soft-fail lets them pass when a list cannot be had',
    default: 'off',
  }),
  surplusClaims: variable('SURPLUS_CLAIMS', choiceSetting(SURPLUS_POLICIES), {
    category: 'Data protection',
    description:
      'Disclosed claims and credentials that nobody asked for: drop keeps them from the backend, refuse fails the answer, deliver hands them on',
    default: 'drop',
  }),
  statusListGraceSeconds: variable('STATUS_LIST_GRACE_SECONDS', secondsSetting(0, 86_400), {
    category: 'Trust',
    description:
      'How long a status list may serve past its ttl, though never past its exp, while a fresh one cannot be had; 0: not at all',
    default: '300',
  }),
  redirectSchemes: optionalVariable('REDIRECT_URI_SCHEMES', appSchemesSetting(), {
    category: 'Requests',
    description:
      'Schemes of apps, separated by commas, that a redirect_uri may have besides https; none that a browser handles itself',
  }),
  allowHttpRedirect: variable('ALLOW_HTTP_REDIRECT_URI', booleanSetting(), {
    category: 'Requests',
    description: 'Development only: accept a redirect_uri with http for other hosts than loopback',
    default: 'false',
  }),
  retentionSeconds: variable('RETENTION_SECONDS', secondsSetting(60, 31_536_000), {
    category: 'Data protection',
    description: 'How long status, times and check record of an ended request are kept; never credential data',
    default: '86400',
  }),
});
