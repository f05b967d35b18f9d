import { randomBytes } from 'node:crypto';
import type { Redemption, TokenOfCode } from '../domain/redemption';
import { ISSUER_URL, NO_DEMANDS, NOW, TYPE_ID } from '../testing/issuer.fixture-spec';
import { exchangeOver } from '../testing/running-issuer.fixture-spec';
import { createWalletKey, tokenProof, type WalletKey } from '../testing/wallet.fixture-spec';

const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const CODE = 'the-pre-authorized-code';
const failsWith = (code: string) => expect.objectContaining({ code });

let owner: WalletKey;
let other: WalletKey;
beforeAll(async () => {
  [owner, other] = [await createWalletKey(), await createWalletKey()];
});

/** A token endpoint over a store of one offer. */
function endpoint({ hasTxCode = true, redeliverySeconds = 120, racing = false } = {}) {
  let now = NOW;
  let redeemed: Redemption | undefined;
  const asked: string[] = [];
  const spent = new Set<string>();
  const offer = { offerId: 'offer-1', configurationId: TYPE_ID, hasTxCode, isDeferred: false };
  const exchange = exchangeOver({
    clock: () => now,
    random: randomBytes,
    issuerUrl: ISSUER_URL,
    nonceKeys: [],
    ...NO_DEMANDS,
    reportUnreadAttestation: () => undefined,
    deferredSeconds: 604_800,
    redeliverySeconds,
    spendAttestationProof: async () => true,
    spendProof: async (digest) => {
      asked.push('proof');
      const text = Buffer.from(digest).toString('hex');
      return !spent.has(text) && !!spent.add(text);
    },
    findRedeemable: async () =>
      redeemed && !racing ? undefined : { ...offer, expiresAt: new Date(NOW.getTime() + 900_000) },
    redeem: async (redemption) => {
      if (redeemed) return 'gone';
      redeemed = redemption;
      return 'redeemed';
    },
    findGivenToken: async (codeDigest, requestDigest, at): Promise<TokenOfCode | undefined> => {
      if (!redeemed || !Buffer.from(codeDigest).equals(redeemed.codeDigest)) return undefined;
      const { keptToken: kept, tokenDigest, thumbprint, granted, tokenExpiresAt: expiresAt } = redeemed;
      const isSame = kept && Buffer.from(kept.requestDigest).equals(requestDigest) && kept.expiresAt > at;
      const txCodeDigest = redeemed.redeemedTxCodeDigest;
      const sealedToken = isSame ? kept.sealed : undefined;
      const { offerId, configurationId } = offer;
      return { offerId, configurationId, tokenDigest, thumbprint, granted, expiresAt, txCodeDigest, sealedToken };
    },
    revokeToken: async (digest) => {
      asked.push('revoke');
      expect(digest).toEqual(redeemed?.tokenDigest);
      redeemed = undefined;
    },
  });
  const send = async (key: WalletKey, txCode = hasTxCode ? '0123' : undefined, more: [string, string][] = []) => {
    const code: [string, string][] = txCode === undefined ? [] : [['tx_code', txCode]];
    const form: [string, string][] = [['grant_type', GRANT], ['pre-authorized_code', CODE], ...code, ...more];
    return exchange({ form, dpop: [await tokenProof(key, { iat: Math.floor(now.getTime() / 1000) })] });
  };
  const pass = (seconds: number) => {
    now = new Date(now.getTime() + seconds * 1000);
  };
  return { asked, exchange, send, pass };
}

describe('a redeemed code that comes again', () => {
  it.each([true, false])(
    'VCI:T20 gives the same token to the same request within 30 s (tx_code: %s)',
    async (hasTxCode) => {
      const { send, pass } = endpoint({ hasTxCode });
      const first = await send(owner);
      pass(29);
      expect(await send(owner)).toEqual({ ...first, expires_in: first.expires_in - 29 });
      pass(1);
      await expect(send(owner)).rejects.toEqual(failsWith('invalid_grant'));
    },
  );

  const details = (id: string): [string, string] => {
    const named = [{ type: 'openid_credential', credential_configuration_id: id }];
    return ['authorization_details', JSON.stringify(named)];
  };

  it('VCI:T12 VCI:T20 names the same credential identifiers, also if the repetition does not ask for any', async () => {
    const { send } = endpoint();
    const first = await send(owner, '0123', [details(TYPE_ID)]);
    expect(first.authorization_details).toHaveLength(1);
    expect(await send(owner)).toEqual(first);
    expect(await send(owner, '0123', [details(TYPE_ID)])).toEqual(first);
  });

  it.each([
    ['identifiers, where the token was given without', [], TYPE_ID],
    ['a credential that was not offered', [details(TYPE_ID)], 'another'],
  ])('VCI:T12 VCI:T20 gives no token to a repetition that asks for %s', async (_what, first, id) => {
    const { send, asked } = endpoint();
    await send(owner, '0123', first);
    asked.length = 0;
    await expect(send(owner, '0123', [details(id)])).rejects.toEqual(failsWith('invalid_grant'));
    expect(asked).toEqual([]);
  });

  it('VCI:T13 VCI:T20 says the scope of the token to a repetition that names one', async () => {
    const { send } = endpoint();
    const first = await send(owner);
    expect(await send(owner, '0123', [['scope', 'openid']])).toEqual({ ...first, scope: TYPE_ID });
  });

  it('VCI:T20 takes small letters of a transaction code for capitals, as the first time', async () => {
    const { send } = endpoint();
    const { access_token: token } = await send(owner, 'AB34');
    expect((await send(owner, 'ab34')).access_token).toBe(token);
  });

  it('VCI:T20 VCI:D10 takes a fresh proof for that, and spends none for a bystander', async () => {
    const { send, exchange, asked } = endpoint({ hasTxCode: false });
    await send(owner);
    const form: [string, string][] = [
      ['grant_type', GRANT],
      ['pre-authorized_code', CODE],
    ];
    const dpop = [await tokenProof(owner)];
    await exchange({ form, dpop });
    await expect(exchange({ form, dpop })).rejects.toEqual(failsWith('invalid_dpop_proof'));
    asked.length = 0;
    await expect(send(other)).rejects.toEqual(failsWith('invalid_grant'));
    expect(asked).toEqual([]);
  });

  it('VCI:T20 revokes its token for the right transaction code and another key', async () => {
    const { send, asked } = endpoint();
    await send(owner);
    await expect(send(other)).rejects.toEqual(failsWith('invalid_grant'));
    expect(asked.at(-1)).toBe('revoke');
  });

  it('VCI:T20 VCI:D10 revokes nothing with a proof that was used', async () => {
    const { send, exchange, asked } = endpoint({ hasTxCode: true });
    const form: [string, string][] = [
      ['grant_type', GRANT],
      ['pre-authorized_code', CODE],
      ['tx_code', '0123'],
    ];
    const dpop = [await tokenProof(other)];
    await send(owner);
    await expect(exchange({ form, dpop })).rejects.toEqual(failsWith('invalid_grant'));
    expect(asked.pop()).toBe('revoke');
    await send(owner);
    await expect(exchange({ form, dpop })).rejects.toEqual(failsWith('invalid_dpop_proof'));
    expect(asked).not.toContain('revoke');
  });

  it.each<[string, boolean, () => WalletKey, string | undefined]>([
    ['a wrong transaction code and another key', true, () => other, '9999'],
    ['a wrong transaction code and the same key', true, () => owner, '9999'],
    ['no transaction code', true, () => other, ''],
    ['another key, where there is no transaction code', false, () => other, undefined],
    ['a transaction code, where there is none', false, () => other, '0123'],
  ])('VCI:T20 VCI:T10 revokes and counts nothing for %s', async (_what, hasTxCode, key, txCode) => {
    const { send, asked } = endpoint({ hasTxCode });
    const first = await send(owner);
    asked.length = 0;
    for (let time = 0; time < 6; time += 1)
      await expect(send(key(), txCode)).rejects.toEqual(failsWith('invalid_grant'));
    expect(asked).toEqual([]);
    expect(await send(owner)).toEqual(first);
  });

  it('VCI:T20 does not revoke for the same key when the time of the repetition is over', async () => {
    const { send, asked, pass } = endpoint();
    await send(owner);
    pass(31);
    await expect(send(owner)).rejects.toEqual(failsWith('invalid_grant'));
    expect(asked).not.toContain('revoke');
  });

  it('VCI:T8 VCI:T20 is the same for requests at the same time, whose proof is spent already', async () => {
    const { send } = endpoint({ racing: true });
    const { access_token: token } = await send(owner);
    expect((await send(owner)).access_token).toBe(token);
    await expect(send(other)).rejects.toEqual(failsWith('invalid_grant'));
  });

  it('VCI:T20 gives nothing again with REDELIVERY_SECONDS=0, and still revokes', async () => {
    const { send, asked } = endpoint({ redeliverySeconds: 0 });
    await send(owner);
    await expect(send(owner)).rejects.toEqual(failsWith('invalid_grant'));
    await expect(send(other)).rejects.toEqual(failsWith('invalid_grant'));
    expect(asked.at(-1)).toBe('revoke');
  });
});
