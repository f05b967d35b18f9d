import { z } from 'zod';
import { contract } from './contract';
import { inAnyCase } from './fields';
import { asCaller, judgedBody } from './resources';

const STATUSES = ['valid', 'suspended', 'revoked'] as const;
/** What a credential can be once it is issued. */
export type CredentialStatusName = (typeof STATUSES)[number];

/** The purposes of a status (Bitstring Status List 1.0 §2.1). */
export const statusPurpose = z.enum(['revocation', 'suspension']);

/** Body of `PATCH /credentials/{id}/status`. */
export const storedCredentialStatusBody = z
  .strictObject({ status: inAnyCase(STATUSES, 'In upper or lower case; revocation is final') })
  .meta({ id: 'CredentialStatusRequest' });

/** Answer of `GET` and `PATCH /credentials/{id}/status`. */
export const storedCredentialStatus = z
  .object({
    id: z.string().describe('DID of the credential'),
    status: z.enum(STATUSES),
    status_purposes: z.array(statusPurpose).describe('What can happen to it, as it was issued'),
  })
  .meta({ id: 'ResourceCredentialStatus' });
export type StoredCredentialStatus = z.infer<typeof storedCredentialStatus>;

const credentialId = { id: z.string().max(512) };

/** Fails with `credential_not_found`, `credential_without_status`. */
export const GetStoredCredentialStatus = contract(
  'wallet-store.credential-status.get',
  z.object({ ...asCaller, ...credentialId }),
  storedCredentialStatus,
);

/** Fails as {@link GetStoredCredentialStatus} does, and with `credential_revocation_final`, `invalid_request`. */
export const ChangeStoredCredentialStatus = contract(
  'wallet-store.credential-status.change',
  z.object({ ...asCaller, ...credentialId, ...judgedBody }),
  storedCredentialStatus,
);

const etag = z.string().max(64);

/**
 * A signed status list credential, without `json` if the asking side already has the one with this etag. Fails with
 * `credential_status_list_not_found`, `canonicalizer_busy`.
 */
export const GetStatusListCredential = contract(
  'wallet-store.status-list-credential.get',
  z.object({ tenant: z.string().max(64), listId: z.string().max(64), knownEtag: etag.optional() }),
  z.object({ etag, maxAgeSeconds: z.int().min(0), json: z.string().optional() }),
  20_000,
);
