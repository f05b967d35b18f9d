import { isIP } from 'node:net';
import { decodeBase64url, urlFault } from '@vestibule/foundation';
import {
  booleanSetting,
  defineConfiguration,
  integerSetting,
  listSetting,
  logLevelSetting,
  natsUrlsSetting,
  optionalVariable,
  portSetting,
  publicUrlSetting,
  textSetting,
  variable,
} from '@vestibule/process';
import { z } from 'zod';
import { hostName } from './backend/host-names';
import { isContact } from './wallet/security-text';

const PREFIX_LENGTHS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** `10.0.0.1` or `10.0.0.0/8`, and the same of IPv6. */
function isAddressOrSubnet(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const longest = PREFIX_LENGTHS[isIP(address)];
  if (longest === undefined || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest);
}

const proxiesSetting = () =>
  listSetting().refine(
    (items) => items.every(isAddressOrSubnet),
    'must be IP addresses or subnets separated by commas',
  );

const DIGEST_BYTES = 32;

/** A SHA-256 digest in base64url, as it is. */
const digestSetting = () =>
  z.string().refine((text) => decodeBase64url(text)?.byteLength === DIGEST_BYTES, 'must be a base64url SHA-256 digest');

/** SHA-256 digests in base64url, as bytes. */
const digestsSetting = () =>
  listSetting()
    .refine(
      (items) => items.every((item) => decodeBase64url(item)?.byteLength === DIGEST_BYTES),
      'must be base64url SHA-256 digests separated by commas',
    )
    .transform((items) => items.flatMap((item) => decodeBase64url(item) ?? []));

/** `/content/v2`: what routes of the schema and draft API are under. */
const prefixSetting = () =>
  z.string().regex(/^(?:\/[a-z0-9][a-z0-9._-]{0,63}){1,4}$/, 'must be one to four segments, each after a slash');

/** Host names without ports, in one spelling. */
const hostNamesSetting = () =>
  listSetting()
    .refine(
      (items) => items.every((item) => hostName(item) !== undefined),
      'must be host names without scheme and port, separated by commas',
    )
    .transform((items) => items.flatMap((item) => hostName(item) ?? []));

/** Contacts of a security.txt. */
const contactsSetting = () =>
  listSetting().refine(
    (items) => items.length <= 10 && items.every(isContact),
    'must be at most ten https, mailto or tel URIs separated by commas',
  );

const policySetting = () =>
  z.string().refine((text) => urlFault(text, { schemes: ['https'] }) === undefined, 'must be an https URL');

/** An instant with its offset. */
const instantSetting = () =>
  z.iso.datetime({ offset: true, error: 'must be an instant as in RFC 3339' }).transform((text) => new Date(text));

/** Everything that the gateway can be told. */
export const gatewayConfiguration = defineConfiguration({
  natsUrls: variable('NATS_URL', natsUrlsSetting(), {
    category: 'Infrastructure',
    description: 'NATS servers, separated by commas; max_payload must be at least 2 MB',
  }),
  baseUrl: variable('BASE_URL', publicUrlSetting(), {
    category: 'Public addresses',
    description: 'Where wallets reach the public listener: https (http only for loopback), a path is allowed',
  }),
  issuerUrl: optionalVariable('ISSUER_URL', publicUrlSetting(), {
    category: 'Public addresses',
    description: 'The Credential Issuer Identifier; the same as BASE_URL when absent',
  }),
  managementHost: variable('MANAGEMENT_HOST', textSetting(), {
    category: 'Management listener',
    description: 'Address that the management listener binds; keep it internal',
    default: '127.0.0.1',
  }),
  managementPort: variable('MANAGEMENT_PORT', portSetting(), {
    category: 'Management listener',
    description: 'Port of the management listener',
    default: '8081',
  }),
  managementHosts: optionalVariable('MANAGEMENT_HOSTS', hostNamesSetting(), {
    category: 'Management listener',
    description:
      'Host names, separated by commas, by which backends reach the management listener, besides localhost and IP addresses; without authentication any other one is logged, and a later version refuses it',
  }),
  managementKeyDigests: optionalVariable('MANAGEMENT_KEY_DIGESTS', digestsSetting(), {
    category: 'Management listener',
    description:
      'SHA-256 digests (base64url, separated by commas) of the bearer keys that backends must send; several while they rotate; none: no key is asked for',
  }),
  managementCertificateFile: optionalVariable('MANAGEMENT_TLS_CERTIFICATE_FILE', textSetting(), {
    category: 'Management listener',
    description: 'PEM file: the certificate of the management listener for mutual TLS, then its intermediates',
  }),
  managementKey: optionalVariable('MANAGEMENT_TLS_KEY', textSetting(), {
    category: 'Management listener',
    description: 'PEM of the private key of that certificate',
    secret: true,
  }),
  managementClientCaFile: optionalVariable('MANAGEMENT_CLIENT_CA_FILE', textSetting(), {
    category: 'Management listener',
    description: 'PEM file: the authority that signed the certificates of the backends',
  }),
  vcApiKeyDigest: optionalVariable('VC_API_KEY_DIGEST', digestSetting(), {
    category: 'Management listener',
    description:
      'SHA-256 digest (base64url) of an API key: whoever reaches the management listener can sign and verify for its tenant with the VC API; for test suites; absent: no VC API',
  }),
  publicHost: variable('PUBLIC_HOST', textSetting(), {
    category: 'Public listener',
    description: 'Address that the public listener binds',
    default: '0.0.0.0',
  }),
  publicPort: variable('PUBLIC_PORT', portSetting(), {
    category: 'Public listener',
    description: 'Port of the public listener, behind the proxy that terminates TLS',
    default: '8080',
  }),
  rateLimitPerMinute: variable('RATE_LIMIT_PER_MINUTE', integerSetting(0, 1_000_000), {
    category: 'Public listener',
    description: 'Requests per minute that one client address may make; 0 switches the limit off',
    default: '600',
  }),
  trustedProxies: optionalVariable('TRUSTED_PROXIES', proxiesSetting(), {
    category: 'Public listener',
    description: 'Addresses or subnets of proxies whose X-Forwarded-For names the client for the rate limit',
  }),
  servesContent: variable('PUBLIC_WALLET_CONTENT', booleanSetting(), {
    category: 'Public listener',
    description: 'Serve the wallet content API on the public listener too, not only on the management listener',
    default: 'true',
  }),
  securityContacts: optionalVariable('SECURITY_CONTACT', contactsSetting(), {
    category: 'Public listener',
    description:
      'Where holes may be reported, separated by commas, the preferred one first: https, mailto or tel URIs; with SECURITY_EXPIRES it is served as /.well-known/security.txt (RFC 9116); absent: there is none',
  }),
  securityExpires: optionalVariable('SECURITY_EXPIRES', instantSetting(), {
    category: 'Public listener',
    description:
      'Until when these contacts hold, less than a year ahead; afterwards there is no security.txt until you set it anew',
  }),
  securityPolicy: optionalVariable('SECURITY_POLICY', policySetting(), {
    category: 'Public listener',
    description: 'Web page that says how you treat reports',
  }),
  schemaPrefix: optionalVariable('SCHEMA_API_PREFIX', prefixSetting(), {
    category: 'Schemas and drafts',
    description:
      'Path that the schema and draft API is under, on both listeners; addresses of published schemas never are',
  }),
  previousDeprecatedAt: variable('PREVIOUS_API_DEPRECATED_AT', instantSetting(), {
    category: 'Schemas and drafts',
    description: 'Since when version 0.38 of the schema and draft API is deprecated: its answers say so',
    default: '2026-11-21T00:00:00Z',
  }),
  previousEndsAt: optionalVariable('PREVIOUS_API_ENDS_AT', instantSetting(), {
    category: 'Schemas and drafts',
    description:
      'When version 0.38 of the schema and draft API ends: its answers say so, and from then on it is answered 410. Without it, that version stays',
  }),
  logLevel: variable('LOG_LEVEL', logLevelSetting(), {
    category: 'Operations',
    description: 'How much is logged',
    default: 'info',
  }),
});
