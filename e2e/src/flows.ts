import type { StoredCredential, Wallet } from '@vestibule/demo-wallet';
import { Client } from 'pg';
import type { SharedStage } from './stage';

/** Claims of the sample credential; a test that looks for leaks brings its own. */
export const CLAIMS = { given_name: 'Ada', family_name: 'Example', birthdate: '1990-01-31' };

export interface Offer {
  readonly offerId: string;
  readonly uri: string;
  readonly txCode: string | undefined;
}

/** A backend offers the sample credential. */
export async function offerCredential(stage: SharedStage, extra: object = {}): Promise<Offer> {
  const body = { credential_configuration_id: 'identity-card', claims: CLAIMS, ...extra };
  const answer = await stage.management('POST', '/offers', body);
  if (answer.status !== 201) throw new Error(`the offer was refused: ${JSON.stringify(answer.body)}`);
  const { offer_id: offerId, credential_offer_uri: uri, tx_code_value: txCode } = answer.body as Record<string, string>;
  return { offerId: offerId as string, uri: uri as string, txCode };
}

/** A wallet gets the sample credential. */
export async function issueTo(stage: SharedStage, wallet: Wallet, claims: object = CLAIMS): Promise<StoredCredential> {
  const offer = await offerCredential(stage, { claims });
  const [credential] = await wallet.redeemOffer(offer.uri);
  if (!credential) throw new Error('the wallet got no credential');
  return credential;
}

export interface PresentationRequest {
  readonly state: string;
  readonly sameDevice: string;
  readonly crossDevice: string;
}

/** The query for one claim of the sample credential. */
export function queryFor(stage: SharedStage, credential: object = {}) {
  const claims = [{ path: ['family_name'] }];
  return {
    credentials: [{ id: 'card', format: 'dc+sd-jwt', meta: { vct_values: [stage.vct] }, claims, ...credential }],
  };
}

/** A backend asks for the sample credential. */
export async function requestPresentation(stage: SharedStage, extra: object = {}): Promise<PresentationRequest> {
  const answer = await stage.management('POST', '/oidc4vp', { dcql_query: queryFor(stage), ...extra });
  if (answer.status !== 201) throw new Error(`the request was refused: ${JSON.stringify(answer.body)}`);
  const {
    state,
    same_device_request_uri: sameDevice,
    cross_device_request_uri: crossDevice,
  } = answer.body as Record<string, string>;
  return { state: state as string, sameDevice: sameDevice as string, crossDevice: crossDevice as string };
}

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
