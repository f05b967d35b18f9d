import { createHash, randomBytes } from 'node:crypto';
import { issuanceEvent } from '@vestibule/contracts';
import { ISSUER_URL, NO_DEMANDS, NOW, PLAIN_TYPE_ID, TYPE_ID } from '../testing/issuer.fixture-spec';
import { exchangeOver, type TokenEndpointDeps } from '../testing/running-issuer.fixture-spec';
import {
  CREDENTIAL_URL,
  createWalletKey,
  tokenProof,
  withBrokenSignature,
  type WalletKey,
} from '../testing/wallet.fixture-spec';
import type { TokenInput } from './exchange-pre-authorized-code';
import type { RedeemableOffer, Redemption } from '../domain/redemption';

const NONCE_KEY = randomBytes(32);
const CODE = 'the-pre-authorized-code';
const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const OFFER: RedeemableOffer = {
  offerId: 'offer-1',
  configurationId: TYPE_ID,
  hasTxCode: false,
  isDeferred: false,
  expiresAt: new Date(NOW.getTime() + 1_000_000),
};
const in30Seconds = new Date(NOW.getTime() + 30_000);
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex');

let key: WalletKey;
beforeAll(async () => {
  key = await createWalletKey();
});

/** A token endpoint over fakes that write down what was asked of them, in order. */
function endpoint(changes: Partial<TokenEndpointDeps> = {}, offer: RedeemableOffer = OFFER) {
  const asked: string[] = [];
  const redemptions: Redemption[] = [];
  const spent = new Set<string>();
  const exchange = exchangeOver({
    clock: () => NOW,
    random: randomBytes,
    issuerUrl: ISSUER_URL,
    nonceKeys: [NONCE_KEY],
    ...NO_DEMANDS,
    reportUnreadAttestation: () => undefined,
    spendAttestationProof: async () => true,
    deferredSeconds: 604_800,
    redeliverySeconds: 120,
    findGivenToken: async () => undefined,
    revokeToken: async () => undefined,
    spendProof: async (digest) => {
      asked.push('proof');
      const text = Buffer.from(digest).toString('hex');
      return !spent.has(text) && !!spent.add(text);
    },
    findRedeemable: async (digest) => {
      asked.push('code');
      return Buffer.from(digest).toString('hex') === digestOf(CODE) ? offer : undefined;
    },
    redeem: async (redemption) => {
      asked.push('redeem');
      redemptions.push(redemption);
      return 'redeemed';
    },
    ...changes,
  });
  return { asked, redemptions, exchange };
}

type Form = TokenInput['form'];
const form = (...more: [string, string][]): Form => [['grant_type', GRANT], ['pre-authorized_code', CODE], ...more];
const details = (...entries: unknown[]): [string, string] => ['authorization_details', JSON.stringify(entries)];
const openidCredential = (id: string, more: object = {}) => ({
  type: 'openid_credential',
  credential_configuration_id: id,
  ...more,
});
const send = async (stage: ReturnType<typeof endpoint>, text: Form = form()) =>
  stage.exchange({ form: text, dpop: [await tokenProof(key)] });
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('exchangePreAuthorizedCode: the answer', () => {
  it('VCI:T13 VCI:T14 VCI:T19 is a DPoP token with its lifetime, and nothing else', async () => {
    const answer = await send(endpoint());
    expect(answer).toEqual({
      access_token: expect.stringMatching(/^[A-Za-z0-9_-]{64}$/),
      token_type: 'DPoP',
      expires_in: 300,
    });
  });

  it('VCI:T11 VCI:T15 binds the token to the key and the offer; only digests of token and code are handed on', async () => {
    const stage = endpoint();
    const { access_token: token } = await send(stage);
    expect(stage.redemptions).toEqual([
      {
        offerId: 'offer-1',
        codeDigest: Buffer.from(digestOf(CODE), 'hex'),
        txCode: undefined,
        tokenDigest: Buffer.from(digestOf(token), 'hex'),
        tokenExpiresAt: new Date(NOW.getTime() + 300_000),
        thumbprint: key.thumbprint,
        granted: [],
        proofs: [],
        keptToken: { requestDigest: expect.any(Uint8Array), sealed: expect.any(Uint8Array), expiresAt: in30Seconds },
        now: NOW,
        failedEvent: expect.anything(),
      },
    ]);
    expect((await send(endpoint())).access_token).not.toBe(token);
  });

  it.each([
    [90_000, 90],
    [90_999, 90],
    [500, 1],
    [299_999, 299],
    [301_000, 300],
  ])('VCI:T15 lives no longer than an offer that has %d ms left', async (left, seconds) => {
    const stage = endpoint({}, { ...OFFER, expiresAt: new Date(NOW.getTime() + left) });
    expect((await send(stage)).expires_in).toBe(seconds);
    expect(stage.redemptions[0]?.tokenExpiresAt).toEqual(new Date(NOW.getTime() + seconds * 1000));
  });

  it('VCI:T15 lives as long as a wallet may wait for what is deferred, however little time the offer has left', async () => {
    const stage = endpoint({}, { ...OFFER, isDeferred: true, expiresAt: in30Seconds });
    expect((await send(stage)).expires_in).toBe(604_800);
  });

  it('VCI:T12 names credential identifiers when the wallet sent authorization_details', async () => {
    const stage = endpoint();
    const { authorization_details: answered } = await send(stage, form(details(openidCredential(TYPE_ID, { x: 1 }))));
    expect(answered).toEqual([openidCredential(TYPE_ID, { credential_identifiers: [TYPE_ID] })]);
    expect(stage.redemptions[0]?.granted).toEqual([{ configurationId: TYPE_ID, credentialIdentifier: TYPE_ID }]);
  });

  it.each([TYPE_ID, 'openid offline_access', `${PLAIN_TYPE_ID} ${TYPE_ID}`])(
    'VCI:T13 says the scope of the token, which is that of the offer, to a wallet that names %s',
    async (scope) => {
      const { scope: told, authorization_details: answered } = await send(endpoint(), form(['scope', scope]));
      expect([told, answered]).toEqual([TYPE_ID, undefined]);
    },
  );

  it('VCI:T12 VCI:T13 answers both to a wallet that names a scope and authorization_details', async () => {
    const both = form(['scope', 'openid'], details(openidCredential(TYPE_ID)));
    expect(await send(endpoint(), both)).toMatchObject({
      scope: TYPE_ID,
      authorization_details: [openidCredential(TYPE_ID, { credential_identifiers: [TYPE_ID] })],
    });
  });

  it('VCI:T4 does not depend on unknown and empty parameters', async () => {
    const stage = endpoint();
    await send(stage, form(['foo', 'bar'], ['foo[a]', 'x'], ['tx_code', ''], ['client_id', 'anyone']));
    expect(stage.redemptions[0]).toMatchObject({ txCode: undefined });
  });

  it('hands the transaction code to the one who compares it, with the event of a last failure', async () => {
    const stage = endpoint({}, { ...OFFER, hasTxCode: true });
    await send(stage, form(['tx_code', '0123']));
    expect(stage.redemptions[0]?.txCode).toBe('0123');
    const event = issuanceEvent.parse(stage.redemptions[0]?.failedEvent);
    expect(event).toMatchObject({ eventId: 'offer-1', offerId: 'offer-1', status: 'FAILED' });
    expect(JSON.stringify(event)).toContain('tx_code_attempts_exceeded');
    expect(JSON.stringify(event)).not.toContain('0123');
  });
});

describe('exchangePreAuthorizedCode: the order of its checks', () => {
  const nothing: Form = [];

  it('VCI:T7 judges the form before the proof, and the proof before the code', async () => {
    const stage = endpoint();
    await expect(stage.exchange({ form: nothing, dpop: [] })).rejects.toEqual(code('invalid_request'));
    const guess: Form = [...form().slice(0, 1), ['pre-authorized_code', 'a guess']];
    await expect(stage.exchange({ form: guess, dpop: [] })).rejects.toEqual(code('invalid_dpop_proof'));
    expect(stage.asked).toEqual([]);
    await expect(send(stage, guess)).rejects.toEqual(code('invalid_grant'));
    expect(stage.asked).toEqual(['code']);
  });

  it('VCI:T7 VCI:D10 spends no proof for a code that is not there: a good code can still be redeemed with it', async () => {
    const stage = endpoint();
    const dpop = [await tokenProof(key)];
    for (const guess of ['a guess', 'another one', CODE.slice(1)]) {
      const wrong: Form = [...form().slice(0, 1), ['pre-authorized_code', guess]];
      await expect(stage.exchange({ form: wrong, dpop })).rejects.toEqual(code('invalid_grant'));
    }
    expect(stage.asked).toEqual(['code', 'code', 'code']);
    await expect(stage.exchange({ form: form(), dpop })).resolves.toMatchObject({ token_type: 'DPoP' });
    expect(stage.asked.slice(3)).toEqual(['code', 'proof', 'redeem']);
    await expect(stage.exchange({ form: form(), dpop })).rejects.toEqual(code('invalid_dpop_proof'));
  });

  it('VCI:T7 judges the code before the transaction code', async () => {
    const stage = endpoint();
    const guess: Form = [
      ...form(['tx_code', '1']).filter(([name]) => name !== 'pre-authorized_code'),
      ['pre-authorized_code', 'x'],
    ];
    await expect(send(stage, guess)).rejects.toEqual(code('invalid_grant'));
  });

  it.each<[string, Form, boolean]>([
    ['a missing transaction code', form(), true],
    ['an unexpected transaction code', form(['tx_code', '1']), false],
    ['a configuration that was not offered', form(details(openidCredential(PLAIN_TYPE_ID))), false],
  ])('VCI:T7 neither uses the code up nor counts a try after %s', async (_what, text, hasTxCode) => {
    const stage = endpoint({}, { ...OFFER, hasTxCode });
    await expect(send(stage, text)).rejects.toThrow();
    expect(stage.asked).toEqual(['code']);
  });

  it('VCI:T7 leaves the code as it is after a bad proof, so that a good one redeems it', async () => {
    const stage = endpoint();
    const bad = withBrokenSignature(await tokenProof(key));
    await expect(stage.exchange({ form: form(), dpop: [bad] })).rejects.toEqual(code('invalid_dpop_proof'));
    expect(stage.asked).toEqual([]);
    await expect(send(stage)).resolves.toMatchObject({ token_type: 'DPoP' });
  });
});

describe('exchangePreAuthorizedCode: what it refuses', () => {
  it.each<[string, Form, string]>([
    ['VCI:T2 no grant type', form().slice(1), 'invalid_request'],
    ['VCI:T2 another grant type', [['grant_type', 'authorization_code'], ...form().slice(1)], 'unsupported_grant_type'],
    ['VCI:T19 a refresh', [['grant_type', 'refresh_token'], ...form().slice(1)], 'unsupported_grant_type'],
    ['VCI:T2 two grant types', form(['grant_type', GRANT]), 'invalid_request'],
    ['VCI:T3 two codes', form(['pre-authorized_code', CODE]), 'invalid_request'],
    ['VCI:T3 a structured parameter', form(['tx_code[x]', '1']), 'invalid_request'],
    ['VCI:T5 no code', form().slice(0, 1), 'invalid_request'],
    ['VCI:T3 an empty code', [...form().slice(0, 1), ['pre-authorized_code', '']], 'invalid_request'],
    ['VCI:T5 an unknown code', [...form().slice(0, 1), ['pre-authorized_code', 'x']], 'invalid_grant'],
    ['VCI:T6 a transaction code that was not asked for', form(['tx_code', '1']), 'invalid_request'],
    ['VCI:T12 details that are not JSON', form(['authorization_details', '[']), 'invalid_authorization_details'],
    ['VCI:T12 details without entries', form(details()), 'invalid_authorization_details'],
    ['VCI:T12 details of another type', form(details({ type: 'x' })), 'invalid_authorization_details'],
    ['VCI:T12 what was not offered', form(details(openidCredential(PLAIN_TYPE_ID))), 'invalid_authorization_details'],
    [
      'VCI:T12 another location',
      form(details(openidCredential(TYPE_ID, { locations: ['https://other.example'] }))),
      'invalid_authorization_details',
    ],
  ])('%s', async (_what, text, expected) => {
    const stage = endpoint();
    await expect(send(stage, text)).rejects.toEqual(code(expected));
    expect(stage.redemptions).toEqual([]);
  });

  it('VCI:T6 a missing transaction code', async () => {
    await expect(send(endpoint({}, { ...OFFER, hasTxCode: true }))).rejects.toEqual(code('invalid_request'));
  });

  it.each(['wrong_tx_code', 'ended', 'gone'] as const)(
    'VCI:T5 VCI:T6 VCI:T10 is invalid_grant when the attempt is %s',
    async (outcome) => {
      const stage = endpoint({ redeem: async () => outcome }, { ...OFFER, hasTxCode: true });
      await expect(send(stage, form(['tx_code', '1']))).rejects.toEqual(code('invalid_grant'));
    },
  );

  it.each<[string, () => Promise<string[]>]>([
    ['VCI:T16 no proof', async () => []],
    ['VCI:D1 two proofs', async () => [await tokenProof(key), await tokenProof(key)]],
    ['VCI:D1 two proofs in one field', async () => [`${await tokenProof(key)}, ${await tokenProof(key)}`]],
    ['VCI:D1 no JWS', async () => ['proof']],
    ['VCI:D5 a broken signature', async () => [withBrokenSignature(await tokenProof(key))]],
    ['VCI:D7 another method', async () => [await tokenProof(key, { htm: 'GET' })]],
    ['VCI:D8 the URL of another endpoint', async () => [await tokenProof(key, { htu: CREDENTIAL_URL })]],
    ['VCI:D9 an old proof', async () => [await tokenProof(key, { iat: NOW.getTime() / 1000 - 301 })]],
  ])('%s: invalid_dpop_proof', async (_what, dpop) => {
    const stage = endpoint();
    await expect(stage.exchange({ form: form(), dpop: await dpop() })).rejects.toEqual(code('invalid_dpop_proof'));
    expect(stage.asked).toEqual([]);
  });

  it('VCI:D10 a proof that was used before', async () => {
    const stage = endpoint();
    const dpop = [await tokenProof(key)];
    await stage.exchange({ form: form(), dpop });
    await expect(stage.exchange({ form: form(), dpop })).rejects.toEqual(code('invalid_dpop_proof'));
    expect(stage.redemptions).toHaveLength(1);
  });
});
