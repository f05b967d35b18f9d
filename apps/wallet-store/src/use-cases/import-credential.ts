import { answerAgain, type Clock, type JsonObject, type RandomBytes } from '@vestibule/foundation';
import { createDidKey, verifyCredential, type VerifiedCredential } from '@vestibule/vcdm';
import { credentialView, type CredentialAnswer } from '../domain/content-view';
import type { IssuedDocuments, Understand } from '../domain/ports';
import { isDid } from '../domain/records';
import type { NamedWallet } from '../domain/wallets';
import { authenticate, type AuthenticateDeps } from './authenticate';
import { refusingDocuments } from './document-errors';
import type { FindWallet } from './find-wallet';
import { repeatableCall } from './repeat';

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
  readonly recallIssued: IssuedDocuments['recallIssued'];
}

export interface ImportCredentialInput extends NamedWallet {
  readonly apiKeyDigest: string;
  readonly document: JsonObject;
  readonly metaData?: MetaData | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** The tolerated clock skew. */
export const SKEW_SECONDS = 60;

/** The record of a credential that verified; its DID is its own `id` if that is one. */
function recordOf(
  { id, types, issuerDid, holderDid: holder }: VerifiedCredential,
  { document, metaData }: ImportCredentialInput,
  { random, now }: { readonly random: RandomBytes; readonly now: Date },
) {
  const isNamed = holder === undefined || isDid(holder);
  return {
    did: id !== undefined && isDid(id) ? id : createDidKey(random).did,
    state: 'issued' as const,
    ...{ issuerDid, holderDid: isNamed ? holder : undefined, isOfStranger: !isNamed, types },
    body: document,
    labels: metaData?.Labels ?? {},
    annotations: metaData?.Annotations ?? {},
    ...{ createdAt: now, updatedAt: now, revision: 1 },
  };
}

/**
 * Verifies a credential of any issuer and puts it into a wallet. Its DID is its own `id` if that is a DID, and a new
 * one otherwise. A subject with another address than a DID remains in the sealed document alone: it may be an email
 * address, and it is not the owner of the wallet. A repeated call is answered as before even if the credential does not
 * hold any more. Throws `api_key_invalid`, `wallet_not_found`, `credential_exists` and the codes of {@link
 * verifyCredential}.
 */
export function importCredential(deps: ImportCredentialDeps) {
  return async function importCredential(input: ImportCredentialInput): Promise<CredentialAnswer> {
    const { apiKeyDigest, document, metaData, entityDid, walletDid, idempotencyKey } = input;
    const tenant = await authenticate(deps, apiKeyDigest);
    const owner = await deps.findWallet(tenant, { entityDid, walletDid });
    const repeatable = repeatableCall(idempotencyKey, [owner.walletDid, document, { ...metaData } as JsonObject]);
    const create = async (): Promise<CredentialAnswer> => {
      const now = deps.clock();
      const options = { now, skewSeconds: SKEW_SECONDS, ...deps.understand(tenant) };
      const verified = await refusingDocuments(verifyCredential(document, options));
      const record = { ...recordOf(verified, input, { random: deps.random, now }), ...owner };
      return deps.insertIssued(tenant, record, credentialView(record), repeatable);
    };
    return answerAgain(create, () => deps.recallIssued(tenant, repeatable));
  };
}
