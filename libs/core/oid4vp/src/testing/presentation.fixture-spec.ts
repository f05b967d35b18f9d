import { createHash, type KeyObject } from 'node:crypto';
import { exportPublicJwk, parseCompactJws, jwsClaims, signCompactJws, signEs256 } from '@vestibule/crypto';
import { NO_SUBTYPES, parseDcqlQuery, type DcqlQuery } from '@vestibule/dcql';
import {
  createCertificateAuthority,
  createDevelopmentPki,
  createPrivateKeyOf,
  type Authority,
  type DevelopmentPki,
} from '@vestibule/dev-pki';
import { VerificationFailure, type JsonObject } from '@vestibule/foundation';
import { issueSdJwtVc } from '@vestibule/sd-jwt-vc';
import { seededRandom } from '@vestibule/testkit';
import {
  createChainVerifier,
  parseCertificate,
  type IssuerBinding,
  type TrustAnchor,
  type TrustPolicy,
} from '@vestibule/x509-trust';
import {
  coveredBy,
  createCheckLog,
  verifyPresentation,
  type IssuerTrust,
  type PresentationExpectation,
  type TrustSources,
} from '../index';

/** Credentials, their presentations and what a verifier expects of them: everything in order unless told otherwise. */
export const NOW = new Date('2026-03-01T12:00:00Z');
export const NOW_SECONDS = NOW.getTime() / 1000;
export const AUDIENCE = 'x509_hash:Uvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk';
export const NONCE = 'n-0S6_WzA2Mj-n-0S6_WzA2Mj-n-0S6_WzA2Mj';
export const VCT = 'urn:example:pid:1';
export const SUBJECT = 'urn:example:subject';
export const ISSUER = 'https://issuer.example';
export const CLAIMS = { given_name: 'Erika', age: 44, nationalities: ['DE', 'FR'], address: { locality: 'Berlin' } };

export const failsWith = (code: string) => expect.objectContaining({ code });
export const base64 = (der: Uint8Array) => Buffer.from(der).toString('base64');

/** Keys, certification authorities and an issuer: made once for a test file. */
export interface Stage {
  readonly pki: DevelopmentPki;
  /** An authority that nobody configured. */
  readonly foreignRoot: Authority;
  readonly holderKey: KeyObject;
  readonly strangerKey: KeyObject;
}

export async function createStage(): Promise<Stage> {
  return {
    pki: await createDevelopmentPki({ now: NOW, hosts: ['issuer.example'] }),
    foreignRoot: await createCertificateAuthority({ name: 'Foreign Root', now: NOW }),
    holderKey: createPrivateKeyOf('P-256'),
    strangerKey: createPrivateKeyOf('P-256'),
  };
}

export interface CredentialOptions {
  readonly vct?: string;
  readonly claims?: JsonObject;
  readonly iss?: string;
  readonly iat?: number;
  readonly exp?: number;
  readonly status?: { readonly idx: number; readonly uri: string };
  readonly x5c?: readonly Uint8Array[];
  readonly issuerKey?: KeyObject;
  /** Changes what the issuer signs; undefined removes a member. */
  readonly header?: Readonly<Record<string, unknown>>;
  readonly payload?: Readonly<Record<string, unknown>>;
}

function resign(sdJwt: string, { header, payload }: CredentialOptions, key: KeyObject): string {
  const [jws = '', ...disclosures] = sdJwt.split('~');
  const parsed = parseCompactJws(jws);
  const altered = signCompactJws(
    { ...parsed.header, ...header } as JsonObject,
    { ...jwsClaims(parsed), ...payload } as JsonObject,
    key,
  );
  return [altered, ...disclosures].join('~');
}

const ORDINARY = { iss: ISSUER, iat: NOW_SECONDS - 3600, exp: NOW_SECONDS + 86_400, vct: VCT };

/** Issues a credential with all disclosures, as an issuer does: ends with a tilde. */
export async function issue(stage: Stage, options: CredentialOptions = {}): Promise<string> {
  const { claims = CLAIMS, x5c = stage.pki.issuer.chain, issuerKey = stage.pki.issuer.privateKey } = options;
  const { iss, iat, exp, vct, status } = { ...ORDINARY, ...options };
  const confirmationKey = exportPublicJwk(stage.holderKey);
  const sdJwt = await issueSdJwtVc({
    sign: (input) => signEs256(issuerKey, input),
    x5c: x5c.map(base64),
    registered: { iss, sub: SUBJECT, iat, exp, vct, confirmationKey, ...(status ? { status } : {}) },
    claims,
    disclosurePlan: (path) => (path.length === 1 ? 'always' : 'never'),
    random: seededRandom(JSON.stringify(claims)),
  });
  return options.header || options.payload ? resign(sdJwt, options, issuerKey) : sdJwt;
}

/** Keeps only the disclosures of the named claims. */
export function disclosing(sdJwt: string, names: readonly string[]): string {
  const [jws = '', ...rest] = sdJwt.split('~').slice(0, -1);
  const nameOf = (encoded: string) => (JSON.parse(Buffer.from(encoded, 'base64url').toString()) as string[])[1];
  return [jws, ...rest.filter((encoded) => names.includes(nameOf(encoded) ?? '')), ''].join('~');
}

export interface BindingOptions {
  readonly key?: KeyObject;
  readonly header?: Readonly<Record<string, unknown>>;
  /** Merged over an ordinary key binding; undefined removes a member. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

export const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url');

/** Appends a key binding JWT to an SD-JWT that ends with a tilde. */
export function bind(stage: Stage, sdJwt: string, options: BindingOptions = {}): string {
  const ordinary = { iat: NOW_SECONDS, aud: AUDIENCE, nonce: NONCE, sd_hash: sha256(sdJwt) };
  const header = { typ: 'kb+jwt', ...options.header } as JsonObject;
  const claims = { ...ordinary, ...options.claims } as JsonObject;
  return sdJwt + signCompactJws(header, claims, options.key ?? stage.holderKey);
}

/** A presentation of everything. */
export async function present(stage: Stage, credential: CredentialOptions = {}, binding: BindingOptions = {}) {
  return bind(stage, await issue(stage, credential), binding);
}

export const anchorOf = (der: Uint8Array, scope: Partial<TrustAnchor> = {}): TrustAnchor => ({
  certificate: parseCertificate(der),
  purposes: ['credential', 'status'],
  ...scope,
});

export interface TrustOptions extends TrustSources {
  readonly anchors?: readonly TrustAnchor[];
  readonly policy?: TrustPolicy;
  readonly binding?: IssuerBinding;
}

/** Trusts the root of the stage for everything, unless told otherwise. */
export function trustOf(stage: Stage, options: TrustOptions = {}): IssuerTrust {
  const anchors = options.anchors ?? [anchorOf(stage.pki.root.certificate)];
  const { policy = 'auto', binding = { policy: 'none' }, metadataIssuers = [], subtypes = NO_SUBTYPES } = options;
  const chains = createChainVerifier(anchors, { maxEntries: 10 });
  return { chains, policy, binding, metadataIssuers, subtypes, covered: coveredBy(options) };
}

export function queryOf(source: JsonObject): DcqlQuery {
  const parsed = parseDcqlQuery(source);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return parsed.query;
}

/** A credential query for the ordinary credential. */
export const pidQuery = (more: JsonObject = {}): JsonObject => ({
  id: 'pid',
  format: 'dc+sd-jwt',
  meta: { vct_values: [VCT] },
  claims: [{ path: ['given_name'] }],
  ...more,
});

export const PID = queryOf({ credentials: [pidQuery()] });

/** What a verifier expects; the check log is fresh. */
export function expectationOf(stage: Stage, more: Partial<PresentationExpectation> = {}): PresentationExpectation {
  return {
    query: PID,
    audience: AUDIENCE,
    nonce: NONCE,
    requestedAt: new Date(NOW.getTime() - 300_000),
    now: NOW,
    skewSeconds: 60,
    trust: more.trust ?? trustOf(stage),
    checks: createCheckLog(() => 0),
    ...more,
  };
}

/** Catches what a step throws, for comparing it with its record. */
export function failureOf(step: () => unknown): unknown {
  try {
    step();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** The checks of one presentation in their order. */
export const STRAIGHT_PATH = [
  'sd_jwt_structure',
  'issuer_certificate_chain',
  'issuer_signature',
  'disclosures',
  'issuer_trust',
  'validity',
  'key_binding',
  'status_reference',
];

/** Verifies one presentation; a failure must be the last entry of the record, and the only failed one. */
export function expectFailure(
  stage: Stage,
  text: string,
  [check, code]: readonly [string, string],
  more: Partial<PresentationExpectation> = {},
): void {
  const expected = expectationOf(stage, more);
  const error = failureOf(() => verifyPresentation('pid', text, [], expected));
  expect(error).toBeInstanceOf(VerificationFailure);
  expect(error).toMatchObject({ code });
  const entries = [...expected.checks.entries];
  expect(entries.pop()).toMatchObject({ check, credential: 'pid', outcome: 'failed', code });
  expect(entries.map((entry) => entry.check)).toEqual(STRAIGHT_PATH.slice(0, STRAIGHT_PATH.indexOf(check)));
  expect(entries.every(({ outcome }) => outcome === 'passed')).toBe(true);
}
