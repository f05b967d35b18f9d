import { randomBytes } from 'node:crypto';
import { createSecret, sha256 } from '@vestibule/crypto';
import type { VerifiedNonce } from '@vestibule/oauth';
import { issuanceEvent } from '../../domain/issuance-event';
import { at, completionOf, OFFER_SECONDS, openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';

jest.setTimeout(180_000);

let stage: StoreStage;
beforeAll(async () => {
  stage = await openStoreStage();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

const hex = (bytes: Uint8Array) => `'\\x${Buffer.from(bytes).toString('hex')}'`;

describe('statements that touch several rows never wait in a circle', () => {
  it('VCI:N4 as nonces are spent in one order: when two requests bring the same nonces in different orders', async () => {
    const offers = [await stage.insert(), await stage.insert()];
    const nonces = Array.from({ length: 3 }, (): VerifiedNonce => {
      return { digest: sha256(createSecret(randomBytes)), expiresAt: at(300) };
    }).sort((left, right) => Buffer.compare(left.digest, right.digest));
    const [, middle] = nonces as [VerifiedNonce, VerifiedNonce, VerifiedNonce];
    const outcomes = await stage.whileHeld(
      `INSERT INTO issuer.spent VALUES ('c_nonce', ${hex(middle.digest)}, now())`,
      offers.map(({ offerId }, index) => () => {
        const inOrder = index === 0 ? nonces : [...nonces].reverse();
        return stage.store.complete(completionOf({ offerId }, { nonces: inOrder }));
      }),
    );
    expect(outcomes).toEqual(['issued', 'nonce_used']);
  });

  it('nor does a sweep wait: it leaves an offer that somebody holds, and the next one ends it', async () => {
    const offers = [await stage.insert(), await stage.insert(), await stage.insert()];
    const middle = Buffer.from(offers[1]?.offerId ?? '', 'base64url');
    const endings = offers.map(({ offerId }) => ({ offerId, event: issuanceEvent(offerId, 'EXPIRED') }));
    const expire = () => stage.store.expire(endings, at(OFFER_SECONDS));
    await stage.database.transaction(async ({ query }) => {
      await query(`SELECT 1 AS one FROM issuer.credential_offer WHERE offer_id = ${hex(middle)} FOR UPDATE`);
      expect(await expire()).toBe(2);
      expect(await expire()).toBe(0);
    });
    expect(await expire()).toBe(1);
    expect(await stage.events()).toHaveLength(6);
  });
});
