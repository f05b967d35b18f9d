import type { KeyObject } from 'node:crypto';
import {
  importPublicJwk,
  joseFailure,
  jwsClaims,
  parseCompactJws,
  ES256_ALONE,
  requireAlgorithm,
  verifyJws,
  verifyJwsByJose,
  type CompactJws,
  type JwsLimits,
  type EcdsaAlgorithm,
  type EcJwk,
} from '@vestibule/crypto';
import { ownMember, VerificationFailure, type JsonObject, type OAuthErrorCode } from '@vestibule/foundation';
import { OAuthError } from './oauth-error';

/** One kind of JWT that wallets send: its `typ`, its bounds, and the error that a wallet receives for an invalid one. */
export interface TypedJwtKind {
  readonly typ: string;
  readonly limits: JwsLimits;
  readonly error: Extract<OAuthErrorCode, 'invalid_client' | 'invalid_dpop_proof' | 'invalid_proof'>;
  /** What it may be signed with; default ES256 alone. */
  readonly algorithms?: readonly EcdsaAlgorithm[];
}

/** The required signer: the holder of one key, or an attester with one of several trusted keys. */
export type JwtSigner = { readonly holder: EcJwk } | { readonly attesters: readonly KeyObject[] };

/** A JWT whose signature holds. Its times and names are unchecked. */
export interface OpenedJwt<Signer extends JwtSigner> {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  readonly signer: Signer;
}

async function isSignedWith(jws: CompactJws, key: KeyObject, algorithms: readonly EcdsaAlgorithm[]): Promise<boolean> {
  try {
    await verifyJwsByJose(jws, key, algorithms);
    return true;
  } catch (error) {
    if (error instanceof VerificationFailure) return false;
    throw error;
  }
}

/**
 * A key in the header of an attestation is ignored. If the header names a trusted attester, by `x5c` or `kid`, its
 * signature is invalid; otherwise the attester is not trusted.
 */
async function requireAttester(
  jws: CompactJws,
  keys: readonly KeyObject[],
  { error, algorithms = ES256_ALONE }: TypedJwtKind,
): Promise<void> {
  for (const key of keys) if (await isSignedWith(jws, key, algorithms)) return;
  const isNamed = keys.length > 0 && ['x5c', 'kid'].some((name) => Object.hasOwn(jws.header, name));
  if (!isNamed) throw new OAuthError(error, 'attester_not_trusted');
  throw joseFailure('jws_signature_invalid', 'the attester that the header names did not sign the attestation');
}

/** Runs `read`; a verification failure in it becomes the OAuth error `code`, with the failure's code as the reason. */
export async function failingAs<Result>(code: OAuthErrorCode, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof VerificationFailure) throw new OAuthError(code, error);
    throw error;
  }
}

/**
 * Opens one of the five JWTs by which wallets prove something: form and size, `typ`, algorithm, then the signature of the signer
 * that `findSigner` reads from the header, then the claims. Nothing of the payload is read before its signature holds.
 * Throws the error of its kind, and whatever else `findSigner` throws.
 */
export function openTypedJwt<Signer extends JwtSigner>(
  text: string,
  kind: TypedJwtKind,
  findSigner: (header: JsonObject) => Signer | Promise<Signer>,
): Promise<OpenedJwt<Signer>> {
  const { typ, limits, error, algorithms = ES256_ALONE } = kind;
  return failingAs(error, async () => {
    const jws = parseCompactJws(text, limits);
    if (ownMember(jws.header, 'typ') !== typ) throw new OAuthError(error, 'typ_wrong');
    requireAlgorithm(jws, algorithms);
    const signer = await findSigner(jws.header);
    if ('holder' in signer) verifyJws(jws, importPublicJwk(signer.holder), algorithms);
    else await requireAttester(jws, signer.attesters, kind);
    return { header: jws.header, claims: jwsClaims(jws), signer };
  });
}
