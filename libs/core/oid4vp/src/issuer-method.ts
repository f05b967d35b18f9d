import type { KeyObject } from 'node:crypto';
import { parseVpToken, type DcqlQuery } from '@vestibule/dcql';
import { ownMember, VerificationFailure, type JsonValue } from '@vestibule/foundation';
import { parseSdJwtVc, selectIssuerKey, type IssuerKey, type SdJwtVc } from '@vestibule/sd-jwt-vc';
import { MAX_VALUES_OF_ANSWER } from './answer-bounds';
import { presentationFailure } from './failures';
import {
  issuerKeyOf,
  trustedIssuerOf,
  type CertifiedIssuer,
  type IssuerTrust,
  type MetadataIssuer,
  type PublishedIssuer,
  type TrustedIssuer,
} from './issuer-trust';

/** The keys that issuers publish, by `iss`. */
export type PublishedKeys = ReadonlyMap<string, readonly IssuerKey[]>;

/** An issuer whose keys an answer needs. */
export interface NeededMetadata {
  readonly issuer: string;
  /** The `kid` values with which its credentials claim to be signed: unverified. */
  readonly kids: readonly string[];
}

/** How the issuer of one credential is known: two steps of the verification, with the name of the first. */
export interface IssuerMethod {
  readonly check: 'issuer_certificate_chain' | 'issuer_metadata';
  readonly section: string;
  findKey(): KeyObject;
  /** For what a credential says whose signature holds. */
  judgeIssuer(credential: { readonly vct: string; readonly iss: string | undefined }): TrustedIssuer;
}

/** The entry of the operator's list whose name the signed part of a credential bears. */
function findMetadataIssuer({ payload }: SdJwtVc, { metadataIssuers = [] }: IssuerTrust): MetadataIssuer | undefined {
  const iss = ownMember(payload, 'iss');
  return metadataIssuers.find(({ issuer }) => issuer === iss);
}

function publishedIssuer(
  { issuer, vcts }: MetadataIssuer,
  keys: readonly IssuerKey[],
  credential: { readonly vct: string; readonly iss: string | undefined },
): PublishedIssuer {
  const isItsType = vcts === undefined || vcts.includes(credential.vct);
  if (!isItsType || credential.iss !== issuer) throw presentationFailure('issuer_type_not_allowed');
  return { method: 'metadata', name: issuer, keys, authorityKeyIdentifiers: [] };
}

/** Without `iss` the certificate names the issuer: it must not name one whose keys come from its metadata either. */
function requireUnlisted(certified: CertifiedIssuer, { metadataIssuers = [] }: IssuerTrust): CertifiedIssuer {
  const isListed = metadataIssuers.some(({ issuer }) => issuer === certified.name);
  if (isListed) throw presentationFailure('issuer_method_not_allowed');
  return certified;
}

function publishedKey(sdJwt: SdJwtVc, keys: readonly IssuerKey[]): KeyObject {
  if (Object.hasOwn(sdJwt.header, 'x5c')) throw presentationFailure('issuer_method_not_allowed');
  return selectIssuerKey(keys, sdJwt.header);
}

/**
 * Decides how the issuer of a credential is identified. The operator fixes that for each `iss`, so that an attacker
 * cannot choose between a certificate and metadata by omitting or adding `x5c` (SD-JWT VC §10.2).
 */
export function issuerMethodOf(
  sdJwt: SdJwtVc,
  expected: { readonly trust: IssuerTrust; readonly now: Date; readonly publishedKeys?: PublishedKeys },
): IssuerMethod {
  const { trust, now, publishedKeys } = expected;
  const listed = findMetadataIssuer(sdJwt, trust);
  if (listed) {
    const keys = publishedKeys?.get(listed.issuer) ?? [];
    return {
      check: 'issuer_metadata',
      section: 'SD-JWT VC §5',
      findKey: () => publishedKey(sdJwt, keys),
      judgeIssuer: (credential) => publishedIssuer(listed, keys, credential),
    };
  }
  return {
    check: 'issuer_certificate_chain',
    section: 'RFC 5280 §6.1',
    findKey: () => issuerKeyOf(sdJwt, trust, now),
    judgeIssuer: (credential) => requireUnlisted(trustedIssuerOf(sdJwt, credential, trust, now), trust),
  };
}

/** The credentials of an answer, parsed one at a time; throws `presentations_too_large` beyond the limit. */
function* parsedCredentials(
  vpToken: JsonValue,
  query: DcqlQuery,
  { legacyTypes }: IssuerTrust,
): Generator<SdJwtVc, void, undefined> {
  let values = 0;
  for (const text of [...parseVpToken(vpToken, query).values()].flat()) {
    const sdJwt = parseSdJwtVc(text, { legacyTypes });
    values += sdJwt.values;
    if (values > MAX_VALUES_OF_ANSWER) throw presentationFailure('presentations_too_large');
    yield sdJwt;
  }
}

/**
 * Lists the issuers whose metadata is needed before an answer can be verified: those on the operator's list that a
 * credential without `x5c` names, once each. An unverified `iss` never leads to any other address, and an answer that
 * cannot be parsed leads to none: `verifyVpToken` reports the reason. Throws `presentations_too_large`: all credentials
 * are parsed here, before any issuer's signature has been verified.
 */
export function neededIssuerMetadata(
  vpToken: JsonValue,
  query: DcqlQuery,
  trust: IssuerTrust,
): readonly NeededMetadata[] {
  if (!trust.metadataIssuers?.length) return [];
  const needed = new Map<string, Set<string>>();
  try {
    for (const sdJwt of parsedCredentials(vpToken, query, trust)) {
      const issuer = sdJwt.x5c === undefined ? findMetadataIssuer(sdJwt, trust)?.issuer : undefined;
      if (issuer === undefined) continue;
      const kids = needed.get(issuer) ?? new Set();
      const kid = ownMember(sdJwt.header, 'kid');
      needed.set(issuer, typeof kid === 'string' ? kids.add(kid) : kids);
    }
  } catch (error) {
    if (error instanceof VerificationFailure && error.code !== 'presentations_too_large') return [];
    throw error;
  }
  return [...needed].map(([issuer, kids]) => ({ issuer, kids: [...kids] }));
}
