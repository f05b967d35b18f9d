import { rootCertificates } from 'node:tls';
import { isLoopback } from '@vestibule/foundation';
import { endFindings, finding, type CheckResult, type Finding } from '@vestibule/process';
import { type Input, UsageError } from './command';
import { readOptionFile } from './option-file';
import { accepts, addressesOf, lookAt, type Look } from './public-look';

interface Place {
  readonly base: URL;
  readonly issuer: URL;
  /** PEM of all authorities that are trusted; undefined: those of Node.js. */
  readonly ca: string | undefined;
  readonly managementPort: number;
}

const LEAF_ONLY = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
const CERTIFICATE_CODE = /CERT|UNABLE_TO_|SELF_SIGNED|ERR_TLS|ERR_SSL/;
const PRIVATE = /^(?:10\.|127\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|192\.168\.|::1$|f[cd]|fe80:)/i;
/** What only the management listener answers: `/health/live` always, also where it asks others for a key. */
const MANAGEMENT_PATHS = ['/health/live', '/health/ready', '/metrics', '/callbacks/keys', '/offers'];
/** Documents of the issuer, and the member that names it. */
const DOCUMENTS = [
  ['openid-credential-issuer', 'credential_issuer'],
  ['oauth-authorization-server', 'issuer'],
  ['jwt-vc-issuer', 'issuer'],
] as const;
const MANAGEMENT_PORT = 8081;

function urlOf(option: string, text: string | undefined): URL {
  if (text === undefined || text === '')
    throw new UsageError(`--${option} is missing, and the environment has no such address`);
  if (!URL.canParse(text)) throw new UsageError(`--${option} must be a URL`);
  return new URL(text);
}

function placeOf({ options, host: { environment } }: Input): Place {
  const base = options['url'] ?? environment['BASE_URL'];
  const own = options['ca'] === undefined ? undefined : readOptionFile('ca', options['ca']).toString('utf8');
  return {
    base: urlOf('url', base),
    issuer: urlOf('issuer', options['issuer'] ?? environment['ISSUER_URL'] ?? base),
    ca: own === undefined ? undefined : [...rootCertificates, own].join('\n'),
    managementPort: Number(environment['MANAGEMENT_PORT'] || MANAGEMENT_PORT),
  };
}

const withoutSlash = (path: string): string => path.replace(/\/$/, '');

async function nameFindings({ base }: Place): Promise<readonly Finding[]> {
  if (base.protocol !== 'https:') return [finding('public_without_https', base.origin)];
  const addresses = await addressesOf(base.hostname.replace(/^\[|\]$/g, ''));
  if (addresses.length === 0) return [finding('public_name_unknown', base.hostname)];
  const inner = addresses.filter((address) => PRIVATE.test(address));
  if (inner.length === 0 || isLoopback(base)) return [];
  return [finding('public_address_private', `${base.hostname} is ${inner.join(', ')}`)];
}

function failureFinding(origin: string, failure: string): Finding {
  if (failure === LEAF_ONLY) return finding('public_chain_incomplete', `${origin} (${failure})`);
  const code = CERTIFICATE_CODE.test(failure) ? 'public_certificate_refused' : 'public_unreachable';
  return finding(code, `${origin} (${failure})`);
}

/** An address of wallets with an id that nobody has: our gateway answers in its own format. */
async function gatewayFindings({ base, ca }: Place): Promise<readonly Finding[]> {
  const url = new URL(`${withoutSlash(base.pathname)}/oidc4vp/doctor/request`, base);
  const look = await lookAt(url, ca);
  if ('failure' in look) return [failureFinding(base.origin, look.failure)];
  const end = endFindings(`the certificate of ${base.host}`, look.certificateEnds, new Date());
  const isOurs = look.status === 404 && isObject(look.body) && typeof look.body['error'] === 'string';
  return isOurs ? end : [...end, finding('public_not_gateway', `${url.href} answers with ${look.status}`)];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function judgeDocument(url: URL, member: string, issuer: string, look: Look): readonly Finding[] {
  if ('failure' in look) return [failureFinding(url.origin, look.failure)];
  if (look.status !== 200 || !isObject(look.body))
    return [finding('well_known_missing', `${url.href} answers with ${look.status}`)];
  if (look.body[member] === issuer) return [];
  return [finding('well_known_differs', `${url.href} has another ${member} than ${issuer}`)];
}

async function documentFindings({ issuer, ca }: Place): Promise<readonly Finding[]> {
  const path = withoutSlash(issuer.pathname);
  const name = `${issuer.origin}${path}`;
  const found = DOCUMENTS.map(async ([document, member]) => {
    const url = new URL(`/.well-known/${document}${path}`, issuer);
    return judgeDocument(url, member, name, await lookAt(url, ca));
  });
  return (await Promise.all(found)).flat();
}

async function managementFindings({ base, ca, managementPort }: Place): Promise<readonly Finding[]> {
  const looks = MANAGEMENT_PATHS.map(async (path) => {
    const look = await lookAt(new URL(path, base), ca);
    const isAnswered = !('failure' in look) && look.status < 400;
    return isAnswered ? [finding('management_exposed', `${base.origin}${path} answers with ${look.status}`)] : [];
  });
  const found: Finding[] = (await Promise.all(looks)).flat();
  const host = base.hostname.replace(/^\[|\]$/g, '');
  if (Number(base.port) !== managementPort && (await accepts(host, managementPort)))
    found.push(finding('management_exposed', `${host}:${managementPort} accepts connections`));
  return found;
}

const results = (check: string, found: readonly Finding[]): readonly CheckResult[] =>
  found.length === 0 ? [{ check, level: 'ok', about: 'nothing to say' }] : found.map((one) => ({ check, ...one }));

const isFatal = ({ code }: Finding): boolean =>
  ['public_name_unknown', 'public_unreachable', 'public_certificate_refused', 'public_chain_incomplete'].includes(
    code ?? '',
  );

/** What a phone sees of an installation, and what it must not see. */
export async function examinePublicly(input: Input): Promise<readonly CheckResult[]> {
  const place = placeOf(input);
  const name = await nameFindings(place);
  const gateway = name.some(isFatal) ? [] : await gatewayFindings(place);
  const first = [...results('public name', name), ...(name.some(isFatal) ? [] : results('public listener', gateway))];
  if ([...name, ...gateway].some(isFatal)) return first;
  return [
    ...first,
    ...results('well-known documents', await documentFindings(place)),
    ...results('management', await managementFindings(place)),
  ];
}
