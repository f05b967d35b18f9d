import { randomBytes } from 'node:crypto';
import { createSecret, sha256 } from '@vestibule/crypto';
import type { OpenOffer } from '../../domain/credential-offer';
import type { ProofKind, SpendableProof } from '../../domain/spendable-proof';
import { NOW } from '../../testing/issuer.fixture-spec';
import { at, openStoreStage, redemptionOf, tokenOf, TX_CODE, type StoreStage } from '../../testing/store.fixture-spec';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const proofOf = (kind: ProofKind): SpendableProof => ({
  kind,
  digest: sha256(createSecret(randomBytes)),
  expiresAt: at(300),
});
const hex = ({ digest }: SpendableProof) => `'\\x${Buffer.from(digest).toString('hex')}'`;
const redeem = (offer: OpenOffer, proofs: readonly SpendableProof[], txCode?: string) =>
  stage.store.redeem(redemptionOf(offer, { proofs, txCode }));
const lockOf = ({ offerId }: OpenOffer) =>
  `SELECT 1 FROM issuer.credential_offer WHERE offer_id = '\\x${Buffer.from(offerId, 'base64url').toString('hex')}' FOR UPDATE`;
const spentCount = async () => (await stage.database.query('SELECT 1 AS one FROM issuer.spent')).length;
const countOf = (all: readonly unknown[], wanted: unknown) => all.filter((one) => one === wanted).length;

describe('the proofs of a token request are spent by the statement that redeems', () => {
  it('VCI:D10 one of 20 parallel requests with the same proof redeems its code, and the other codes stay good', async () => {
    const proof = proofOf('dpop_proof');
    const offers = await Promise.all(Array.from({ length: 20 }, () => stage.insert()));
    const outcomes = await Promise.all(offers.map((offer) => redeem(offer, [proof])));
    expect([countOf(outcomes, 'redeemed'), countOf(outcomes, 'dpop_proof')]).toEqual([1, 19]);
    for (const [index, offer] of offers.entries()) {
      if (outcomes[index] === 'redeemed') continue;
      expect(await stage.row(offer)).toMatchObject({ redeemed_at: null, status: 'OFFER_CREATED' });
      expect(await redeem(offer, [proofOf('dpop_proof')])).toBe('redeemed');
    }
  });

  it('VCI:T10 VCI:D10 a used proof counts no attempt at a transaction code, and ends no offer', async () => {
    const offer = await stage.insert({}, TX_CODE);
    const proof = proofOf('dpop_proof');
    expect(await redeem(offer, [proof], '000000')).toBe('wrong_tx_code');
    for (let again = 0; again < 6; again += 1) expect(await redeem(offer, [proof], '000000')).toBe('dpop_proof');
    expect(await stage.row(offer)).toMatchObject({ tx_code_attempts: 1, status: 'OFFER_CREATED' });
    expect(await redeem(offer, [proofOf('dpop_proof')], TX_CODE)).toBe('redeemed');
  });

  it('VCI:T10 each of those that wait for one another with proofs of their own counts an attempt; the fifth ends the offer', async () => {
    const offer = await stage.insert({}, TX_CODE);
    const wrong = () => redeem(offer, [proofOf('dpop_proof')], '000000');
    // Each at a replica of its own: one replica makes the attempts at an offer in turn.
    const atReplicas = Array.from({ length: 4 }, () => {
      const replica = stage.storeWith(stage.keys);
      return () => replica.redeem(redemptionOf(offer, { proofs: [proofOf('dpop_proof')], txCode: '000000' }));
    });
    expect(await stage.whileHeld(lockOf(offer), atReplicas)).toEqual(Array(4).fill('wrong_tx_code'));
    expect(await stage.row(offer)).toMatchObject({ tx_code_attempts: 4, status: 'OFFER_CREATED' });
    expect(await wrong()).toBe('ended');
    expect(await redeem(offer, [proofOf('dpop_proof')], TX_CODE)).toBe('gone');
  });

  it('VCI:D10 of two that wait for one another with proofs of their own, one redeems the code', async () => {
    const offer = await stage.insert();
    const right = () => redeem(offer, [proofOf('dpop_proof')]);
    expect((await stage.whileHeld(lockOf(offer), [right, right])).sort()).toEqual(['gone', 'redeemed']);
  });

  it('VCI:D10 they are spent, too, if the code is gone', async () => {
    const offer = await stage.insert();
    const proof = proofOf('dpop_proof');
    expect(await redeem(offer, [proofOf('dpop_proof')])).toBe('redeemed');
    expect(await redeem(offer, [proof])).toBe('gone');
    expect(await redeem(await stage.insert(), [proof])).toBe('dpop_proof');
  });

  it('VCI:C10 a used proof of possession is named first, and redeems nothing', async () => {
    const [pop, dpop] = [proofOf('attestation_proof'), proofOf('dpop_proof')];
    const [first, second] = [await stage.insert(), await stage.insert()];
    expect(await redeem(first, [pop, dpop])).toBe('redeemed');
    expect(await redeem(second, [pop, dpop])).toBe('attestation_proof');
    expect(await redeem(second, [pop, proofOf('dpop_proof')])).toBe('attestation_proof');
    expect(await redeem(second, [proofOf('attestation_proof'), dpop])).toBe('dpop_proof');
    expect(await stage.row(second)).toMatchObject({ redeemed_at: null });
  });

  it('VCI:D10 two requests with the same proofs in different orders do not wait in a circle', async () => {
    const [pop, dpop] = [proofOf('attestation_proof'), proofOf('dpop_proof')];
    const offers = [await stage.insert(), await stage.insert()] as const;
    const outcomes = await stage.whileHeld(`INSERT INTO issuer.spent VALUES ('dpop_proof', ${hex(dpop)}, now())`, [
      () => redeem(offers[0], [pop, dpop]),
      () => redeem(offers[1], [dpop, pop]),
    ]);
    expect(outcomes).toEqual(['redeemed', 'dpop_proof']);
  });
});

describe('the proof of a request with a token is spent by the statement that finds the token', () => {
  const thumbprint = 'thumbprint-of-a-key';
  const find = (
    offer: OpenOffer,
    proof: SpendableProof,
    more: { readonly thumbprint?: string; readonly now?: Date } = {},
  ) =>
    stage.store.findGrant(sha256(tokenOf(offer)), more.now ?? NOW, [], {
      proof,
      thumbprint: more.thumbprint ?? thumbprint,
    });

  it('VCI:D10 by exactly one of 20 parallel requests, and by none later', async () => {
    const offer = await stage.insert();
    const proof = proofOf('dpop_proof');
    const grants = await Promise.all(Array.from({ length: 20 }, () => find(offer, proof)));
    const fresh = grants.map((grant) => grant?.isProofFresh);
    expect([countOf(fresh, true), countOf(fresh, false)]).toEqual([1, 19]);
    expect(await find(offer, proof)).toMatchObject({ offerId: offer.offerId, isProofFresh: false });
    expect(await find(offer, proofOf('dpop_proof'))).toMatchObject({ isProofFresh: true });
  });

  it('VCI:D10 VCI:D12 but not with a token of another key, an unknown or an expired one: a stranger writes nothing', async () => {
    const offer = await stage.insert();
    const proof = proofOf('dpop_proof');
    expect(await find(offer, proof, { thumbprint: 'another' })).toMatchObject({ thumbprint, isProofFresh: false });
    expect(await find({ ...offer, offerId: 'unknown' }, proof)).toBeUndefined();
    expect(await find(offer, proof, { now: at(100_000) })).toBeUndefined();
    expect(await spentCount()).toBe(0);
    expect(await find(offer, proof)).toMatchObject({ isProofFresh: true });
  });

  it('reads without a proof, and says nothing about one', async () => {
    const offer = await stage.insert();
    expect(await stage.store.findGrant(sha256(tokenOf(offer)), NOW, [])).not.toHaveProperty('isProofFresh');
    expect(await spentCount()).toBe(0);
  });
});
