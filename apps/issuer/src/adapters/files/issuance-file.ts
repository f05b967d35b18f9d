import { existsSync } from 'node:fs';
import { dictionary, judge } from '@vestibule/contracts';
import {
  DomainError,
  parseJsonBytes,
  unreadableJsonFaults,
  type Fault,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';
import { isIssuerName, issuerUrlBelow, parseIssuerDisplay, type IssuerDisplay } from '@vestibule/oid4vci';
import { z } from 'zod';
import type { IssuerIdentity } from '../../domain/credential-offer';
import { ATTESTATION_MODES, type AttestationMode } from '../../domain/profile';
import { inFile, invalid, readBytes } from './folder-faults';
import { issuerInfo, REUSE_POLICY_MEMBERS, reusePolicy } from './reuse-policy';

/** One year. */
export const DEFAULT_VALIDITY_SECONDS = 31_536_000;
const MAX_ISSUERS = 20;

const levels = z.array(z.string().min(1).max(256)).min(1).max(20);
const typeIssuance = z.strictObject({
  validity_seconds: z.int().min(3_600).max(315_360_000).default(DEFAULT_VALIDITY_SECONDS),
  status_list: z.boolean().optional(),
  /** If present, keys must be attested; one of these levels is enough (OpenID4VCI 1.0 Appendix D.2). */
  key_attestation: z
    .strictObject({ key_storage: levels.optional(), user_authentication: levels.optional() })
    .transform(({ key_storage: keyStorage = [], user_authentication: userAuthentication = [] }) => ({
      keyStorage,
      userAuthentication,
    }))
    .optional(),
  /** What its keys may sign with: `jwt` proofs, and presentations. */
  proof_signing_alg_values: z
    .array(z.enum(['ES256', 'ES384']))
    .min(1)
    .max(2)
    .optional(),
  credential_reuse_policy: reusePolicy.optional(),
  /** The rules of TS3 1.5 §2.4.3 for PIDs apply. */
  pid: z.boolean().default(false),
});
const oneIssuer = {
  profile: z.enum(['open', 'eudi']).default('open'),
  attestations: z.enum(ATTESTATION_MODES).optional(),
  display: z.unknown().optional(),
  issuer_info: issuerInfo.optional(),
  types: dictionary(z.string(), typeIssuance).default({}),
};
const issuanceFile = z.strictObject({
  ...oneIssuer,
  /** Further issuer identifiers, by the last segment of their path. */
  issuers: dictionary(z.string(), z.strictObject(oneIssuer)).default({}),
});
const ISSUANCE_MEMBERS = [
  'profile',
  'attestations',
  'issuers',
  'display',
  'types',
  'validity_seconds',
  'status_list',
  'key_attestation',
  'key_storage',
  'user_authentication',
  'proof_signing_alg_values',
  'pid',
  'issuer_info',
  'format',
  'data',
  ...REUSE_POLICY_MEMBERS,
];

export type TypeIssuance = z.infer<typeof typeIssuance>;
type IssuanceOf = z.infer<z.ZodObject<typeof oneIssuer>>;

/** What the file says about one issuer identifier and its types. */
export interface IssuerIssuance {
  readonly identity: IssuerIdentity;
  /** Undefined where the configuration decides. */
  readonly attestations: AttestationMode | undefined;
  readonly display: readonly IssuerDisplay[];
  readonly issuerInfo: readonly JsonObject[];
  readonly types: ReadonlyMap<string, TypeIssuance>;
}

function readDisplay(file: string, place: string, display: unknown): IssuerDisplay[] {
  if (display === undefined) return [];
  try {
    return parseIssuerDisplay(display as JsonValue);
  } catch (error) {
    if (error instanceof DomainError) throw invalid(inFile(file, error.faults, `${place}display`));
    throw error;
  }
}

function issuerOf(file: string, place: string, { name, url }: Pick<IssuerIdentity, 'name' | 'url'>, read: IssuanceOf) {
  const { profile, attestations, display, issuer_info: info = [], types } = read;
  return {
    identity: { name, url, profile },
    attestations,
    display: readDisplay(file, place, display),
    issuerInfo: info,
    types: new Map(Object.entries(types)),
  };
}

function namesFaults(issuers: readonly string[]): Fault[] {
  const faults = issuers
    .filter((name) => !isIssuerName(name))
    .map((name) => ({
      path: `issuers.${name}`,
      message: 'must be named with a-z, 0-9 and inner hyphens, and not oidc4vci',
    }));
  const most =
    issuers.length > MAX_ISSUERS ? [{ path: 'issuers', message: `must have at most ${MAX_ISSUERS} members` }] : [];
  return [...faults, ...most];
}

/** A type that two identifiers list could be issued under either. */
function repeatedFaults(issuers: readonly IssuerIssuance[]): Fault[] {
  const first = new Map<string, string>();
  return issuers.flatMap(({ identity: { name }, types }) =>
    [...types.keys()].flatMap((id) => {
      const other = first.get(id);
      if (other === undefined) first.set(id, name);
      const path = name === '' ? `types.${id}` : `issuers.${name}.types.${id}`;
      return other === undefined ? [] : [{ path, message: 'is a credential type of another issuer, too' }];
    }),
  );
}

const NOTHING: IssuanceOf = { profile: 'open', types: {} };

/** The identifier of the installation alone, with nothing decided. */
export const nothingDecided = (issuerUrl: string): readonly IssuerIssuance[] => [
  issuerOf('', '', { name: '', url: issuerUrl }, NOTHING),
];

/**
 * Reads what an issuer decides about its types: the identifier of the installation first, then those below it. Throws
 * `type_metadata_invalid`.
 */
export function readIssuance(file: string, issuerUrl: string): readonly IssuerIssuance[] {
  if (!existsSync(file)) return nothingDecided(issuerUrl);
  const bytes = readBytes(file);
  const content = parseJsonBytes(bytes);
  const notJson = { path: '', message: 'is not JSON, or repeats a member name' };
  if (content === undefined) throw invalid(inFile(file, unreadableJsonFaults(bytes, notJson)));
  const { value, faults } = judge(issuanceFile, content, { names: ISSUANCE_MEMBERS, isBody: false });
  if (!value) throw invalid(inFile(file, faults));
  const named = namesFaults(Object.keys(value.issuers));
  if (named.length > 0) throw invalid(inFile(file, named));
  const issuers = [
    issuerOf(file, '', { name: '', url: issuerUrl }, value),
    ...Object.entries(value.issuers).map(([name, one]) =>
      issuerOf(file, `issuers.${name}.`, { name, url: issuerUrlBelow(issuerUrl, name) }, one),
    ),
  ];
  const repeated = repeatedFaults(issuers);
  if (repeated.length > 0) throw invalid(inFile(file, repeated));
  return issuers;
}
