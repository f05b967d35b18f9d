import { z } from 'zod';
import { contract } from './contract';
import { inAnyCase, jsonObject } from './fields';
import { issuerName } from './issuer';

const STATUSES = ['valid', 'suspended', 'revoked'] as const;
const status = z.enum(STATUSES);

/** Body of `PATCH /offers/{offer_id}/status`. */
export const credentialStatusBody = z
  .strictObject({
    status: inAnyCase(STATUSES, 'Status of all credentials of the offer, in upper or lower case; revocation is final'),
  })
  .meta({ id: 'CredentialStatus' });

/** Answer of `PATCH /offers/{offer_id}/status`. */
export const credentialStatusChanged = z
  .object({
    offer_id: z.string(),
    status,
    credentials: z.int().min(1).describe('Number of credentials, all of which now have this status'),
  })
  .meta({ id: 'CredentialStatusChanged' });

/**
 * A backend revokes, suspends or restores the credentials of an offer. Fails with `invalid_request`,
 * `credential_offer_not_found`, `credential_not_issued`, `credential_without_status`, `credential_revocation_final`.
 */
export const ChangeCredentialStatus = contract(
  'issuer.credential-status.change',
  z.object({ offerId: z.string().max(128), body: jsonObject }),
  credentialStatusChanged,
);

const etag = z.string().max(64);

/**
 * A signed status list (Token Status List §8), without `token` if the asking side already has the list with this etag.
 * Fails with `status_list_not_found`, `status_list_unavailable`.
 */
export const GetStatusList = contract(
  'issuer.status-list.get',
  z.object({ ...issuerName, listId: z.string().max(128), knownEtag: etag.optional() }),
  z.object({ etag, maxAgeSeconds: z.int().min(0), token: z.string().optional() }),
  20_000,
);
