import {
  createBackend,
  offerSample,
  requestSample,
  sampleQuery,
  SAMPLE_CLAIMS,
  type Offer,
  type OfferMembers,
  type PresentationRequest,
  type RequestMembers,
} from '@vestibule/dev-stack';
import type { StoredCredential, Wallet } from '@vestibule/demo-wallet';
import { Client } from 'pg';
import type { SharedStage } from './stage';

export type { Offer, PresentationRequest };

/** Claims of the sample credential; a test that looks for leaks brings its own. */
export const CLAIMS = SAMPLE_CLAIMS;

const backendOf = ({ stack, management }: SharedStage) => createBackend(stack, management);

/** A backend offers the sample credential. */
export const offerCredential = (stage: SharedStage, members?: OfferMembers): Promise<Offer> =>
  offerSample(backendOf(stage), members);

/** A wallet gets the sample credential. */
export async function issueTo(stage: SharedStage, wallet: Wallet, claims: object = CLAIMS): Promise<StoredCredential> {
  const offer = await offerCredential(stage, { claims });
  const [credential] = await wallet.redeemOffer(offer.uri);
  if (!credential) throw new Error('the wallet got no credential');
  return credential;
}

/** The query for one claim of the sample credential. */
export const queryFor = ({ stack }: SharedStage, credential?: object) => sampleQuery(stack.issuerUrl, credential);

/** A backend asks for the sample credential. */
export const requestPresentation = (stage: SharedStage, members?: RequestMembers): Promise<PresentationRequest> =>
  requestSample(backendOf(stage), members);

/** What has an end, a request, an offer and its tokens, and the column that names it. */
const ENDING = [
  ['verifier.presentation_request', 'state'],
  ['issuer.credential_offer', 'offer_id'],
  ['issuer.access_token', 'offer_id'],
] as const;

/**
 * Lets requests or offers end that long from now: what has to be done before their end cannot come too late on a busy
 * machine, and nobody waits longer than need be.
 */
export async function endIn(stage: SharedStage, milliseconds: number, ...ids: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: stage.database.adminUrl });
  await client.connect();
  try {
    const keys = ids.map((id) => Buffer.from(id, 'base64url'));
    for (const [table, key] of ENDING) {
      // A stage without the service has no such table.
      const { rows } = await client.query<{ found: string | null }>('SELECT to_regclass($1) AS found', [table]);
      if (!rows[0]?.found) continue;
      const sql = `UPDATE ${table} SET expires_at = now() + $2 * interval '1 millisecond' WHERE ${key} = ANY($1)`;
      await client.query(sql, [keys, milliseconds]);
    }
  } finally {
    await client.end();
  }
}
