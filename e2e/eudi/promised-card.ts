import { CLAIMS } from '../src/flows';
import { CARD, type EudiStage } from './eudi-stage';
import type { Json } from './strict-judgement';
import { createKey, openSession, type Attested } from './strict-wallet';

/** What the attestation of the keys says besides, and what attests the wallet. */
export interface PromisedCardOptions {
  readonly keyClaims?: Json;
  readonly attested?: Attested;
}

/** A wallet waits for a deferred card for attested keys, whose claims are there now. */
export async function promiseCard(eudi: EudiStage, { keyClaims = {}, attested }: PromisedCardOptions = {}) {
  const { offerId, uri } = await eudi.offer(CARD, { deferred: true, claims: {} });
  const session = await openSession(uri, CARD, attested ? { attested } : {});
  const [key, nonce] = [await createKey(), await session.nonce()];
  const attestation = await eudi.providers.attestKeys([key.jwk], { nonce, ...keyClaims });
  const { status, body } = await session.ask({ attestation: [attestation] });
  if (status !== 202) throw new Error(`the card is not promised: ${status} ${JSON.stringify(body)}`);
  await eudi.stage.management('PATCH', `/offers/${offerId}`, { claims: CLAIMS });
  const state = async () => {
    const answer = await eudi.stage.management('GET', `/offers/${offerId}`);
    return (answer.body as Json)['status'];
  };
  return { offerId, session, transaction: String(body['transaction_id']), state };
}

export type PromisedCard = Awaited<ReturnType<typeof promiseCard>>;
