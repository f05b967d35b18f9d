import type { Clock, JsonObject, JsonValue, RandomBytes } from '@vestibule/foundation';
import { createDidKey, verifyCredential } from '@vestibule/vcdm';
import { credentialView, type CredentialAnswer } from '../domain/content-view';
import type { RepeatableCall } from '../domain/drafts';
import type { IssuedDocuments, Understand } from '../domain/ports';
import { isStorable } from '../domain/records';
import type { NamedWallet } from '../domain/wallets';
import { authenticate, type AuthenticateDeps } from './authenticate';
import { refusingDocuments } from './document-errors';
import type { FindWallet } from './find-wallet';

/** Labels and annotations as a caller provides them. */
export interface MetaData {
  readonly Labels?: Readonly<Record<string, string>> | undefined;
  readonly Annotations?: Readonly<Record<string, string>> | undefined;
}

export interface ImportCredentialDeps extends AuthenticateDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly findWallet: FindWallet;
  readonly understand: Understand;
  readonly insertIssued: IssuedDocuments['insertIssued'];
}

export interface ImportCredentialInput extends NamedWallet {
  readonly apiKeyDigest: string;
  readonly document: JsonObject;
  readonly metaData?: MetaData | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** The repeatable call, if the caller sent a key; `input` is everything that the answer depends on. */
export function repeatableCall(idempotencyKey: string | undefined, input: JsonValue): RepeatableCall | undefined {
  return idempotencyKey === undefined ? undefined : { idempotencyKey, input };
}

/** The tolerated clock skew. */
export const SKEW_SECONDS = 60;

/**
 * Verifies a credential of any issuer and puts it into a wallet. Its DID is its own `id` if that is a DID, and a new
 * one otherwise. Throws `api_key_invalid`, `wallet_not_found`, `credential_exists` and the codes of {@link
 * verifyCredential}.
 */
export function importCredential(deps: ImportCredentialDeps) {
  return async function importCredential(input: ImportCredentialInput): Promise<CredentialAnswer> {
    const { apiKeyDigest, document, metaData, entityDid, walletDid, idempotencyKey } = input;
    const tenant = await authenticate(deps, apiKeyDigest);
    const owner = await deps.findWallet(tenant, { entityDid, walletDid });
    const now = deps.clock();
    const options = { now, skewSeconds: SKEW_SECONDS, ...deps.understand(tenant) };
    const verified = await refusingDocuments(verifyCredential(document, options));
    const { id, types, issuerDid, holderDid } = verified;
    const record = {
      did: id?.startsWith('did:') && isStorable(id) ? id : createDidKey(deps.random).did,
      state: 'issued' as const,
      ...owner,
      ...{ issuerDid, holderDid, types },
      body: document,
      labels: metaData?.Labels ?? {},
      annotations: metaData?.Annotations ?? {},
      createdAt: now,
      updatedAt: now,
      revision: 1,
    };
    const repeatable = repeatableCall(idempotencyKey, [owner.walletDid, document, { ...metaData } as JsonObject]);
    return deps.insertIssued(tenant, record, credentialView(record), repeatable);
  };
}
