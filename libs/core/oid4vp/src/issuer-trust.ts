import type { KeyObject } from 'node:crypto';
import { NO_SUBTYPES, type VctSubtypes } from '@vestibule/dcql';
import { ownMember, VerificationFailure } from '@vestibule/foundation';
import { getX5c, type IssuerKey, type SdJwtVc } from '@vestibule/sd-jwt-vc';
import {
  applyTrustPolicy,
  coverageFor,
  isAnchorNeeded,
  issuerBindingOf,
  issuerName,
  verifyIssuerBinding,
  type ChainVerifier,
  type IssuerBinding,
  type TrustCoverage,
  type TrustPolicy,
  type TrustScope,
  type VerifiedChain,
} from '@vestibule/x509-trust';
import { responseFailure } from './failures';

/** An issuer whose keys come from its JWT VC Issuer Metadata (SD-JWT VC §5). */
export interface MetadataIssuer {
  /** Its `iss`, to be met character by character. */
  readonly issuer: string;
  /** Credential types that it may vouch for; absent means every type. */
  readonly vcts?: readonly string[];
}

/** Whom this verifier trusts to issue what: configuration, decided by the operator alone. */
export interface IssuerTrust {
  readonly chains: ChainVerifier;
  readonly policy: TrustPolicy;
  /** Besides anchors, for which types it is decided who issues them: see {@link coveredBy}. */
  readonly covered: readonly TrustCoverage[];
  /** Default: `san` for chains with an anchor, `none` for others. */
  readonly binding?: IssuerBinding | undefined;
  /** Issuers whose credentials have no certificate, and must have none. Default: none. */
  readonly metadataIssuers?: readonly MetadataIssuer[];
  /** Which types may be presented for a query of another. Default: none but the type itself. */
  readonly subtypes?: VctSubtypes;
  /** The exact bytes of the Type Metadata that the operator keeps, by type. Default: none. */
  readonly typeDocuments?: ReadonlyMap<string, Uint8Array>;
  /** Credential types whose credentials may have `typ` `vc+sd-jwt`, as early drafts had it. Default: none. */
  readonly legacyTypes?: readonly string[];
}

/** What decides about types besides anchors. */
export interface TrustSources extends Pick<IssuerTrust, 'metadataIssuers' | 'subtypes'> {
  /** What lists of trusted entities decide about. Their anchors are among those of the trust. Default: nothing. */
  readonly lists?: readonly TrustCoverage[];
  /** False while Type Metadata that the operator names is missing: any type may then be one that others stand for. Default: true. */
  readonly areSubtypesKnown?: boolean;
}

/**
 * For which types it is decided who issues them, besides by anchors: by lists, by naming issuers that are known by their
 * metadata, and by naming a type that stands for another, whose issuer must be trusted. The policy `auto` takes nobody there
 * without an anchor.
 */
export function coveredBy(sources: TrustSources): readonly TrustCoverage[] {
  const { lists = [], metadataIssuers = [], subtypes = NO_SUBTYPES, areSubtypesKnown = true } = sources;
  const purposes = ['credential'] as const;
  const supertypes = [...subtypes.values()].flatMap((types) => [...types]);
  return [
    ...lists,
    ...metadataIssuers.map(({ vcts }) => ({ purposes, vcts })),
    { purposes, vcts: supertypes },
    ...(areSubtypesKnown ? [] : [{ purposes, missing: 'types' as const }]),
  ];
}

/** The issuer of one credential, after its chain was validated. */
export interface CertifiedIssuer {
  readonly method: 'certificate';
  readonly chain: VerifiedChain;
  /** True when the chain leads to an anchor for this type; false only where the policy reports instead of refusing. */
  readonly trusted: boolean;
  /** For people and for the event: `iss`, else what the certificate says. */
  readonly name: string;
  /** None for an untrusted chain: its author could have written the identifier of any authority. */
  readonly authorityKeyIdentifiers: readonly string[];
}

/** The issuer of one credential that the operator lists by name; no certification authority vouches for it. */
export interface PublishedIssuer {
  readonly method: 'metadata';
  /** Its `iss`. */
  readonly name: string;
  readonly keys: readonly IssuerKey[];
  readonly authorityKeyIdentifiers: readonly [];
}

export type TrustedIssuer = CertifiedIssuer | PublishedIssuer;

/** True while an anchor for the scope may be missing: a list that decides about it is not known. */
const mayMissAnchor = ({ covered }: IssuerTrust, scope: TrustScope): boolean =>
  coverageFor(covered, scope).some(({ missing }) => missing === 'anchors');

/**
 * True when nobody without an anchor is taken for the scope, whatever is not known yet. A list may bring the anchor that is
 * missing, so it must be known; Type Metadata brings none, and matters only where nothing else decides about the type.
 */
function isFinal(trust: IssuerTrust, scope: TrustScope): boolean {
  if (mayMissAnchor(trust, scope)) return false;
  const { policy, chains, covered } = trust;
  const known = covered.filter(({ missing }) => missing === undefined);
  return isAnchorNeeded({ policy, anchors: chains.anchors, covered: known, ...scope });
}

/**
 * What `judge` returns. Throws `trusted_list_unavailable` instead of `untrusted_issuer` while a list that decides about the
 * scope is not known, or Type Metadata that alone could decide about it: then nothing is known about the issuer either.
 */
export function knowingLists<Result>(trust: IssuerTrust, scope: TrustScope, judge: () => Result): Result {
  try {
    return judge();
  } catch (error) {
    const isUntrusted = error instanceof VerificationFailure && error.code === 'untrusted_issuer';
    throw isUntrusted && !isFinal(trust, scope) ? responseFailure('trusted_list_unavailable', error) : error;
  }
}

/**
 * The key of the leaf in the protected header, after its chain was validated. Which anchor certifies it is decided later, but a
 * chain below no anchor is refused before its signatures are verified where the type that the credential claims needs one.
 */
export function issuerKeyOf(sdJwt: SdJwtVc, trust: IssuerTrust, now: Date): KeyObject {
  const { chains, policy, covered } = trust;
  const purpose = 'credential' as const;
  const vct = ownMember(sdJwt.payload, 'vct');
  const claimed = { purpose, ...(typeof vct === 'string' ? { vct } : {}) };
  const needsAnchor = isAnchorNeeded({ policy, anchors: chains.anchors, covered, ...claimed });
  return knowingLists(trust, claimed, () => chains.verify(getX5c(sdJwt), { now, ...claimed, needsAnchor })).leaf
    .publicKey;
}

/**
 * Decides whether the issuer may vouch for this credential type: anchors for the type, the policy for an unanchored
 * chain, and the binding of `iss` to the leaf. `credential` is what a credential says whose signature holds.
 * Throws the failures of the chain, `untrusted_issuer`, `issuer_not_bound` and `trusted_list_unavailable`.
 */
export function trustedIssuerOf(
  sdJwt: SdJwtVc,
  credential: { readonly vct: string; readonly iss: string | undefined },
  trust: IssuerTrust,
  now: Date,
): CertifiedIssuer {
  const scope = { purpose: 'credential' as const, vct: credential.vct };
  const chain = trust.chains.verify(getX5c(sdJwt), { now, ...scope });
  const { policy, chains, covered } = trust;
  const trusted = knowingLists(trust, scope, () =>
    applyTrustPolicy(chain, { policy, anchors: chains.anchors, covered, ...scope }),
  );
  // Nor is it reported as untrusted: a list that is not known may name it.
  if (!trusted && mayMissAnchor(trust, scope)) throw responseFailure('trusted_list_unavailable');
  verifyIssuerBinding(credential.iss, chain.leaf, issuerBindingOf(chain, trust.binding));
  return {
    method: 'certificate',
    chain,
    trusted,
    name: issuerName(credential.iss, chain.leaf),
    authorityKeyIdentifiers: trusted ? chain.authorityKeyIdentifiers : [],
  };
}
