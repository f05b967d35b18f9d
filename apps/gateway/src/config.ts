import { isIP } from 'node:net';
import { decodeBase64url, urlFault } from '@vestibule/foundation';
import {
  booleanSetting,
  defineConfiguration,
  doctorVariables,
  healthVariables,
  integerSetting,
  listSetting,
  logLevelSetting,
  natsVariables,
  optionalVariable,
  portSetting,
  publicUrlSetting,
  textSetting,
  traceVariables,
  variable,
} from '@vestibule/process';
import { z } from 'zod';
import { TOKEN_ALGORITHMS } from './backend/access-tokens';
import { hostName } from './backend/host-names';
import { SERVICE_NAMES } from './services';
import { isContact } from './wallet/security-text';

const PREFIX_LENGTHS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** `10.0.0.1` or `10.0.0.0/8`, and the same for IPv6. */
function isAddressOrSubnet(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const longest = PREFIX_LENGTHS[isIP(address)];
  if (longest === undefined || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest);
}

const proxiesSetting = () =>
  listSetting().refine((items) => items.every(isAddressOrSubnet), 'must be comma-separated IP addresses or subnets');

const DIGEST_BYTES = 32;

/** A SHA-256 digest in base64url, kept as a string. */
const digestSetting = () =>
  z.string().refine((text) => decodeBase64url(text)?.byteLength === DIGEST_BYTES, 'must be a base64url SHA-256 digest');

/** SHA-256 digests in base64url, as bytes. */
const digestsSetting = () =>
  listSetting()
    .refine(
      (items) => items.every((item) => decodeBase64url(item)?.byteLength === DIGEST_BYTES),
      'must be comma-separated base64url SHA-256 digests',
    )
    .transform((items) => items.flatMap((item) => decodeBase64url(item) ?? []));

/** `/content/v2`: the prefix of the routes of the schema and draft API. */
const prefixSetting = () =>
  z.string().regex(/^(?:\/[a-z0-9][a-z0-9._-]{0,63}){1,4}$/, 'must be one to four segments, each after a slash');

/** Algorithms of access tokens. */
const algorithmsSetting = () =>
  listSetting()
    .refine(
      (items) => items.every((item) => TOKEN_ALGORITHMS.some((known) => known === item)),
      `must be comma-separated algorithms of ${TOKEN_ALGORITHMS.join(', ')}`,
    )
    .transform((items) => TOKEN_ALGORITHMS.filter((known) => items.includes(known)));

/** The services of the installation, each once. */
const servicesSetting = () =>
  listSetting()
    .refine(
      (items) => items.every((item) => SERVICE_NAMES.some((known) => known === item)),
      `must be comma-separated services of ${SERVICE_NAMES.join(', ')}`,
    )
    .transform((items) => SERVICE_NAMES.filter((known) => items.includes(known)));

/** Host names without ports, in normal form. */
const hostNamesSetting = () =>
  listSetting()
    .refine(
      (items) => items.every((item) => hostName(item) !== undefined),
      'must be comma-separated host names without scheme and port',
    )
    .transform((items) => items.flatMap((item) => hostName(item) ?? []));

/** The contacts of a security.txt. */
const contactsSetting = () =>
  listSetting().refine(
    (items) => items.length <= 10 && items.every(isContact),
    'must be at most ten comma-separated https, mailto or tel URIs',
  );

const policySetting = () =>
  z.string().refine((text) => urlFault(text, { schemes: ['https'] }) === undefined, 'must be an https URL');

/** A timestamp with its offset. */
const instantSetting = () =>
  z.iso.datetime({ offset: true, error: 'must be an instant as in RFC 3339' }).transform((text) => new Date(text));

/** Every setting of the gateway. */
export const gatewayConfiguration = defineConfiguration({
  ...natsVariables,
  ...doctorVariables,
  ...healthVariables,
  ...traceVariables,
  baseUrl: variable('BASE_URL', publicUrlSetting(), {
    category: 'Public addresses',
    description: 'URL of the public listener as wallets see it: https (http only for loopback), may include a path',
  }),
  issuerUrl: optionalVariable('ISSUER_URL', publicUrlSetting(), {
    category: 'Public addresses',
    description: 'The Credential Issuer Identifier; defaults to BASE_URL',
  }),
  managementHost: variable('MANAGEMENT_HOST', textSetting(), {
    category: 'Management listener',
    description: 'Address that the management listener binds to; keep it internal',
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
      'Comma-separated host names that backends use for the management listener, in addition to localhost and IP addresses. Without authentication, any other name causes a warning; a later version will reject it',
  }),
  managementKeyDigests: optionalVariable('MANAGEMENT_KEY_DIGESTS', digestsSetting(), {
    category: 'Management listener',
    description:
      'Comma-separated SHA-256 digests (base64url) of the bearer keys that backends must send; list several during a rotation. If not set, no key is required',
  }),
  managementCallersFile: optionalVariable('MANAGEMENT_CALLERS_FILE', textSetting(), {
    category: 'Management listener',
    description:
      'JSON file with named bearer keys and client certificates and their scopes: present, offer, revoke, content, operate. Keys in MANAGEMENT_KEY_DIGESTS have all scopes',
  }),
  tokenIssuer: optionalVariable('MANAGEMENT_TOKEN_ISSUER', textSetting(), {
    category: 'Management listener',
    description:
      'Issuer (iss) of OAuth 2.0 access tokens (RFC 9068) that backends may send instead of a key, character by character',
  }),
  tokenAudience: optionalVariable('MANAGEMENT_TOKEN_AUDIENCE', textSetting(), {
    category: 'Management listener',
    description: 'Audience (aud) that these access tokens must contain',
  }),
  tokenJwksUrl: optionalVariable('MANAGEMENT_TOKEN_JWKS_URL', publicUrlSetting(), {
    category: 'Management listener',
    description: 'URL of the public keys (JWKS) of the authorization server: https (http only for loopback)',
  }),
  tokenAlgorithms: variable('MANAGEMENT_TOKEN_ALGORITHMS', algorithmsSetting(), {
    category: 'Management listener',
    description: `Comma-separated algorithms that these access tokens may be signed with, of ${TOKEN_ALGORITHMS.join(', ')}`,
    default: 'ES256,PS256,RS256',
  }),
  managementCertificateFile: optionalVariable('MANAGEMENT_TLS_CERTIFICATE_FILE', textSetting(), {
    category: 'Management listener',
    description:
      'PEM file with the certificate of the management listener for mutual TLS, followed by its intermediates',
  }),
  managementKey: optionalVariable('MANAGEMENT_TLS_KEY', textSetting(), {
    category: 'Management listener',
    description: 'Private key of that certificate, as PEM',
    secret: true,
  }),
  managementClientCaFile: optionalVariable('MANAGEMENT_CLIENT_CA_FILE', textSetting(), {
    category: 'Management listener',
    description: 'PEM file with the authority that signed the certificates of the backends',
  }),
  managementClientNames: optionalVariable('MANAGEMENT_CLIENT_NAMES', hostNamesSetting(), {
    category: 'Management listener',
    description:
      'Comma-separated names of the backends: DNS names of their certificates, or common names of certificates without DNS names. If not set, every client certificate of the authority is accepted, except the certificate of the listener',
  }),
  servesDocs: variable('API_DOCS', booleanSetting(), {
    category: 'Management listener',
    description: 'Whether the management listener serves Swagger UI, a page that shows the API descriptions',
    default: 'true',
  }),
  vcApiKeyDigest: optionalVariable('VC_API_KEY_DIGEST', digestSetting(), {
    category: 'Management listener',
    description:
      'SHA-256 digest (base64url) of an API key. Enables the VC API for test suites: anyone who can reach the management listener can then sign and verify for the tenant of that key',
  }),
  publicHost: variable('PUBLIC_HOST', textSetting(), {
    category: 'Public listener',
    description: 'Address that the public listener binds to',
    default: '0.0.0.0',
  }),
  publicPort: variable('PUBLIC_PORT', portSetting(), {
    category: 'Public listener',
    description: 'Port of the public listener, behind the proxy that terminates TLS',
    default: '8080',
  }),
  rateLimitPerMinute: variable('RATE_LIMIT_PER_MINUTE', integerSetting(0, 1_000_000), {
    category: 'Public listener',
    description: 'Requests per minute allowed per client address; 0 disables the limit',
    default: '600',
  }),
  trustedProxies: optionalVariable('TRUSTED_PROXIES', proxiesSetting(), {
    category: 'Public listener',
    description:
      'Addresses or subnets of proxies whose X-Forwarded-For header is trusted to identify the client for the rate limit',
  }),
  servesContent: variable('PUBLIC_WALLET_CONTENT', booleanSetting(), {
    category: 'Public listener',
    description:
      'Whether the wallet content API is also served on the public listener, not only on the management listener',
    default: 'true',
  }),
  securityContacts: optionalVariable('SECURITY_CONTACT', contactsSetting(), {
    category: 'Public listener',
    description:
      'Comma-separated contacts for vulnerability reports, the preferred one first: https, mailto or tel URIs. Together with SECURITY_EXPIRES, enables security.txt on the public listener (RFC 9116)',
  }),
  securityExpires: optionalVariable('SECURITY_EXPIRES', instantSetting(), {
    category: 'Public listener',
    description:
      'Time until which the contacts are valid, less than one year ahead. After it security.txt is no longer served until you set a new time',
  }),
  securityPolicy: optionalVariable('SECURITY_POLICY', policySetting(), {
    category: 'Public listener',
    description: 'Web page that describes how you handle reports',
  }),
  schemaPrefix: optionalVariable('SCHEMA_API_PREFIX', prefixSetting(), {
    category: 'Schemas and drafts',
    description:
      'Path prefix of the schema and draft API on both listeners; it does not apply to the URLs of published schemas',
  }),
  previousDeprecatedAt: variable('PREVIOUS_API_DEPRECATED_AT', instantSetting(), {
    category: 'Schemas and drafts',
    description: 'Time since which version 0.38 of the schema and draft API is deprecated; reported in its responses',
    default: '2026-11-21T00:00:00Z',
  }),
  previousEndsAt: optionalVariable('PREVIOUS_API_ENDS_AT', instantSetting(), {
    category: 'Schemas and drafts',
    description:
      'Time at which version 0.38 of the schema and draft API ends. Reported in its responses, which are 410 from then on. If not set, that version stays available',
  }),
  services: variable('SERVICES', servicesSetting(), {
    category: 'Operations',
    description:
      'Comma-separated services that this installation has. The readiness report of the management listener and vestibule doctor ask these, and no others',
    default: SERVICE_NAMES.join(','),
  }),
  shutdownDelaySeconds: variable('SHUTDOWN_DELAY_SECONDS', integerSetting(0, 120), {
    category: 'Operations',
    description:
      'How long the gateway keeps serving after SIGTERM while its readiness check already fails, so that balancers stop sending requests to it. Set it to more than the time your balancer takes to notice; the images set 5',
    default: '0',
  }),
  logLevel: variable('LOG_LEVEL', logLevelSetting(), {
    category: 'Operations',
    description: 'Minimum level of log lines',
    default: 'info',
  }),
});
