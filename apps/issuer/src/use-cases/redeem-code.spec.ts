import { randomBytes } from 'node:crypto';
import { judgeAccessToken, tokenKey } from '../domain/access-token';
import type { Redemption, RedemptionOutcome } from '../domain/redemption';
import { NOW, TYPE_ID, TYPES } from '../testing/issuer.fixture-spec';
import { redeemCode, type CodeToRedeem } from './redeem-code';

const ORDER: CodeToRedeem = {
  offer: {
    offerId: 'offer-1',
    configurationId: TYPE_ID,
    hasTxCode: true,
    isDeferred: false,
    expiresAt: new Date(NOW.getTime() + 300_000),
    txCodeKey: randomBytes(32),
  },
  preAuthorizedCode: 'the-code',
  codeDigest: randomBytes(32),
  txCode: '493817',
  redeemed: { key: randomBytes(32), requestDigest: randomBytes(32), txCodeDigest: randomBytes(32) },
  thumbprint: 'thumbprint-of-a-key',
  clientId: 'https://wallet.example/app',
  status: { header: {}, own: 'own', maintained: 'maintained' },
  granted: [],
  proofs: [],
  now: NOW,
};

async function redeemed(order: CodeToRedeem, outcome: RedemptionOutcome = 'redeemed') {
  const asked: unknown[] = [];
  const redemptions: Redemption[] = [];
  const redeem = redeemCode({
    random: randomBytes,
    deferredSeconds: 604_800,
    redeliverySeconds: 120,
    redeem: async (redemption) => {
      redemptions.push(redemption);
      return outcome;
    },
    types: TYPES,
    checkStatus: async (about) => void asked.push(about),
  });
  return { asked, redemptions, result: await redeem(order) };
}

describe('redeemCode', () => {
  it.each([false, true])(
    'VCI:C15 has the status of the wallet judged for what is issued: deferred %j',
    async (isDeferred) => {
      const { asked } = await redeemed({ ...ORDER, offer: { ...ORDER.offer, isDeferred } });
      const type = TYPES.get(TYPE_ID);
      expect(asked).toEqual([{ kind: 'wallet', status: ORDER.status, type, now: NOW, isDeferred }]);
    },
  );

  it('leaves the code as it is where its type is not configured, which may demand that wallets are attested', async () => {
    const redemptions: unknown[] = [];
    const redeem = redeemCode({
      random: randomBytes,
      deferredSeconds: 604_800,
      redeliverySeconds: 120,
      redeem: async (redemption) => (redemptions.push(redemption), 'redeemed'),
      types: new Map(),
      checkStatus: async () => undefined,
    });
    await expect(redeem(ORDER)).rejects.toEqual(expect.objectContaining({ code: 'credential_type_missing' }));
    expect(redemptions).toEqual([]);
  });

  it('makes a token for this offer, wallet and transaction code alone', async () => {
    const { result, redemptions } = await redeemed(ORDER);
    if (result.outcome !== 'redeemed') throw new Error('there is no token');
    const { offerId, txCodeKey } = ORDER.offer;
    const { thumbprint, clientId, granted } = ORDER;
    const bound = { key: tokenKey('the-code', txCodeKey), offerId, thumbprint, clientId, granted, hasStatus: true };
    const { accessToken } = result.token;
    expect(judgeAccessToken(accessToken, bound)).toBe('bound');
    expect(judgeAccessToken(accessToken, { ...bound, key: tokenKey('the-code', undefined) })).toBe('foreign');
    expect(redemptions).toMatchObject([{ txCode: '493817', txCodeKey, thumbprint, clientId }]);
  });

  it('VCI:C15 keeps where the status of the wallet is, for later, and has the token say so', async () => {
    const hasStatus = async (order: CodeToRedeem) => {
      const { result, redemptions } = await redeemed(order);
      if (result.outcome !== 'redeemed') throw new Error('there is no token');
      const { offer, thumbprint, clientId, granted } = order;
      const bound = {
        key: tokenKey('the-code', offer.txCodeKey),
        offerId: offer.offerId,
        thumbprint,
        clientId,
        granted,
      };
      const judged = judgeAccessToken(result.token.accessToken, { ...bound, hasStatus: false });
      return [judged, redemptions[0]?.walletStatus];
    };
    expect(await hasStatus(ORDER)).toEqual(['foreign', { ...ORDER.status, acceptedAt: NOW }]);
    const anonymous = { ...ORDER, clientId: undefined, status: undefined };
    expect(await hasStatus(anonymous)).toEqual(['bound', undefined]);
  });

  it.each(['wrong_tx_code', 'ended', 'gone', 'dpop_proof'] as const)(
    'gives no token where the code is not redeemed: %s',
    async (outcome) => {
      const { result } = await redeemed(ORDER, outcome);
      expect(result).toEqual({ outcome });
    },
  );
});
