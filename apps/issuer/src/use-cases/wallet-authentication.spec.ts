import { randomBytes } from 'node:crypto';
import { createNonce, OAuthError, type NoncePurpose } from '@vestibule/oauth';
import { createAttestedWallet, CLIENT_ID, type AttestedWallet } from '../testing/attestation.fixture-spec';
import { ISSUER_URL, NO_DEMANDS, NOW, TYPE_ID } from '../testing/issuer.fixture-spec';
import { exchangeOver, type TokenEndpointDeps } from '../testing/running-issuer.fixture-spec';
import { createWalletKey, tokenProof, type WalletKey } from '../testing/wallet.fixture-spec';
import type { TokenInput } from './exchange-pre-authorized-code';
import { issueChallenge } from './issue-challenge';
import type { Redemption } from '../domain/redemption';

const NONCE_KEY = randomBytes(32);
const FORM: TokenInput['form'] = [
  ['grant_type', 'urn:ietf:params:oauth:grant-type:pre-authorized_code'],
  ['pre-authorized_code', 'the-code'],
];
const nonce = (purpose: NoncePurpose) => createNonce({ key: NONCE_KEY, purpose, now: NOW, random: randomBytes });
const code = (expected: string) => expect.objectContaining({ code: expected });

let wallet: AttestedWallet;
let key: WalletKey;
beforeAll(async () => {
  wallet = await createAttestedWallet();
  key = await createWalletKey();
});

const BASIC = `Basic ${Buffer.from('wallet:secret').toString('base64')}`;

const policy = (changes: Partial<TokenEndpointDeps['clientAuthentication']> = {}) => ({
  required: false,
  attesterKeys: wallet.attesterKeys,
  challenge: 'required' as const,
  ...changes,
});

/** A token endpoint that writes down what is used up, in order. */
function endpoint(changes: Partial<TokenEndpointDeps> = {}) {
  const used: string[] = [];
  const spent = new Set<string>();
  const redemptions: Redemption[] = [];
  const spend = (kind: string) => async (digest: Uint8Array) => {
    used.push(kind);
    const text = `${kind} ${Buffer.from(digest).toString('hex')}`;
    return !spent.has(text) && !!spent.add(text);
  };
  const exchange = exchangeOver({
    clock: () => NOW,
    random: randomBytes,
    issuerUrl: ISSUER_URL,
    nonceKeys: [NONCE_KEY],
    ...NO_DEMANDS,
    deferredSeconds: 604_800,
    redeliverySeconds: 120,
    findGivenToken: async () => undefined,
    revokeToken: async () => undefined,
    clientAuthentication: policy(),
    reportUnreadAttestation: () => undefined,
    spendProof: spend('dpop'),
    spendAttestationProof: spend('attestation'),
    findRedeemable: async () => ({
      offerId: 'offer-1',
      configurationId: TYPE_ID,
      hasTxCode: false,
      isDeferred: false,
      expiresAt: new Date(NOW.getTime() + 300_000),
    }),
    redeem: async (redemption) => {
      redemptions.push(redemption);
      return 'redeemed';
    },
    ...changes,
  });
  const send = async (more: Partial<TokenInput> = {}) =>
    exchange({ form: FORM, dpop: [await tokenProof(key)], ...more });
  return { used, redemptions, send };
}

describe('wallet attestation at the token endpoint', () => {
  it('VCI:C14 binds the token to the wallet that authenticated', async () => {
    const { send, redemptions } = endpoint();
    await send(await wallet.headers(nonce('attestation_challenge')));
    expect(redemptions.map(({ clientId }) => clientId)).toEqual([CLIENT_ID]);
  });

  it('VCI:C15 gives no token to a wallet that is refused for its status, and uses nothing up', async () => {
    const checkStatus = () => Promise.reject(new OAuthError('invalid_client', 'attestation_not_valid'));
    const { send, used, redemptions } = endpoint({ checkStatus });
    const refused = expect.objectContaining({ reason: 'attestation_not_valid' });
    await expect(send(await wallet.headers(nonce('attestation_challenge')))).rejects.toEqual(refused);
    expect([used, redemptions]).toEqual([[], []]);
  });

  it('VCI:C16 knows the instance key nowhere but in a digest', async () => {
    const { send, redemptions } = endpoint();
    await send(await wallet.headers(nonce('attestation_challenge')));
    const { thumbprint } = wallet.instance;
    expect(JSON.stringify(redemptions)).not.toContain(thumbprint);
  });

  it('VCI:T17 refuses an anonymous wallet where attestation is required, and lets it in where not', async () => {
    const required = endpoint({ clientAuthentication: policy({ required: true }) });
    await expect(required.send()).rejects.toEqual(code('invalid_client'));
    expect(required.used).toEqual([]);
    const optional = endpoint();
    await optional.send();
    expect(optional.redemptions.map(({ clientId }) => clientId)).toEqual([undefined]);
  });

  it.each<[string, () => Promise<Partial<TokenInput>>]>([
    [
      'whose proof is for another audience',
      () => wallet.headers(nonce('attestation_challenge'), { aud: 'https://x.example' }),
    ],
    ['without its proof', async () => ({ clientAttestation: ['a.b.c'] })],
    ['with a proof alone', async () => ({ clientAttestationPop: ['a.b.c'] })],
  ])(
    'VCI:T18 VCI:C14 one %s is refused though anonymous wallets are let in; nothing is used up',
    async (_what, sent) => {
      const { send, used, redemptions } = endpoint();
      await expect(send(await sent())).rejects.toEqual(code('invalid_client'));
      expect([used, redemptions]).toEqual([[], []]);
    },
  );

  it('VCI:T18 one is not read where nobody may attest: its wallet is served like one without, and that is reported', async () => {
    let reports = 0;
    const unread = { reportUnreadAttestation: () => void (reports += 1) };
    const { send, redemptions } = endpoint({ clientAuthentication: policy({ attesterKeys: undefined }), ...unread });
    await send(await wallet.headers(nonce('attestation_challenge')));
    await send({ clientAttestation: ['a.b.c', 'no JWT'], clientAttestationPop: [] });
    expect(redemptions.map(({ clientId }) => clientId)).toEqual([undefined, undefined]);
    expect(reports).toBe(2);
    await send({});
    expect(reports).toBe(2);
    const required = policy({ attesterKeys: undefined, required: true });
    const { send: demand, used } = endpoint({ clientAuthentication: required, ...unread });
    const sent = await wallet.headers(nonce('attestation_challenge'));
    await expect(demand(sent)).rejects.toEqual(code('invalid_client'));
    expect([used, reports]).toEqual([[], 2]);
  });

  it('VCI:C11 VCI:C14 a challenge that is optional is checked when it is presented', async () => {
    const optional = { clientAuthentication: policy({ challenge: 'optional' }) };
    const { send, used } = endpoint(optional);
    await send(await wallet.headers(undefined));
    await send(await wallet.headers(nonce('attestation_challenge')));
    const spent = [...used];
    await expect(send(await wallet.headers('made up'))).rejects.toEqual(code('use_attestation_challenge'));
    await expect(send(await wallet.headers(nonce('c_nonce')))).rejects.toEqual(code('use_attestation_challenge'));
    expect(used).toEqual(spent);
  });

  it('VCI:T18 VCI:C13 a client_id must be the attested one', async () => {
    const { send } = endpoint();
    const sent = await wallet.headers(nonce('attestation_challenge'));
    const other: TokenInput['form'] = [...FORM, ['client_id', 'https://other.example']];
    await expect(send({ ...sent, form: other })).rejects.toEqual(code('invalid_client'));
    const { token_type: type } = await send({ ...sent, form: [...FORM, ['client_id', CLIENT_ID]] });
    expect(type).toBe('DPoP');
  });

  it('VCI:C10 a proof of possession is taken once', async () => {
    const { send } = endpoint();
    const sent = await wallet.headers(nonce('attestation_challenge'));
    await send(sent);
    await expect(send(sent)).rejects.toEqual(code('invalid_client'));
  });

  it('VCI:C10 VCI:T7 neither proof is spent for a code that is not there', async () => {
    const { send, used } = endpoint({ findRedeemable: async () => undefined });
    const sent = { ...(await wallet.headers(nonce('attestation_challenge'))), dpop: [await tokenProof(key)] };
    for (let round = 0; round < 3; round += 1) await expect(send(sent)).rejects.toEqual(code('invalid_grant'));
    expect(used).toEqual([]);
  });

  it('VCI:C11 VCI:C14 asks for a challenge, brings one, and takes the repeated request', async () => {
    const { send, used } = endpoint();
    const failure: unknown = await send(await wallet.headers(undefined)).catch((error: unknown) => error);
    expect(failure).toEqual(code('use_attestation_challenge'));
    expect(used).toEqual([]);
    await send(await wallet.headers((failure as { freshNonce: string }).freshNonce));
    expect(used).toEqual(['attestation', 'dpop']);
  });

  it.each(['c_nonce', 'dpop_nonce'] as const)('VCI:N5 a %s is no challenge', async (purpose) => {
    const sent = await wallet.headers(nonce(purpose));
    await expect(endpoint().send(sent)).rejects.toEqual(code('use_attestation_challenge'));
  });

  it('VCI:T7 judges the form, then the attestation, then DPoP; no proof is spent while another asks for a nonce', async () => {
    const { send, used } = endpoint({ demandsDpopNonces: true });
    const bad = { ...(await wallet.headers(undefined)), dpop: [] };
    await expect(send({ ...bad, form: [] })).rejects.toEqual(code('invalid_request'));
    await expect(send(bad)).rejects.toEqual(code('use_attestation_challenge'));
    const attested = await wallet.headers(nonce('attestation_challenge'));
    await expect(send({ ...attested, dpop: [] })).rejects.toEqual(code('invalid_dpop_proof'));
    await expect(send(attested)).rejects.toEqual(code('use_dpop_nonce'));
    expect(used).toEqual([]);
    await send({ ...attested, dpop: [await tokenProof(key, { nonce: nonce('dpop_nonce') })] });
    expect(used).toEqual(['attestation', 'dpop']);
  });
});

describe('client authentication that the token endpoint does not know', () => {
  it.each<[string, Partial<TokenInput>]>([
    ['client_secret_basic', { authorization: [BASIC] }],
    ['a bearer token', { authorization: ['Bearer abc'] }],
    ['a DPoP token', { authorization: ['DPoP abc'] }],
    ['an empty Authorization', { authorization: [''] }],
    ['two of them', { authorization: [BASIC, BASIC] }],
    ['client_secret_post', { form: [...FORM, ['client_id', 'wallet'], ['client_secret', 'secret']] }],
    [
      'private_key_jwt',
      {
        form: [
          ...FORM,
          ['client_assertion', 'a.b.c'],
          ['client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
        ],
      },
    ],
    ['an assertion without its type', { form: [...FORM, ['client_assertion', 'a.b.c']] }],
    ['the type of an assertion alone', { form: [...FORM, ['client_assertion_type', 'x']] }],
  ])(
    'VCI:T17 %s is invalid_client, also where anonymous wallets are let in; nothing is used up',
    async (_what, sent) => {
      const asked: string[] = [];
      const { send, used, redemptions } = endpoint({ findRedeemable: async () => void asked.push('code') });
      await expect(send(sent)).rejects.toEqual(code('invalid_client'));
      expect([used, redemptions, asked]).toEqual([[], [], []]);
    },
  );

  it('VCI:T17 is refused beside a good attestation too: one request authenticates in one way (RFC 6749 §2.3)', async () => {
    const { send, used } = endpoint();
    const attested = await wallet.headers(nonce('attestation_challenge'));
    await expect(send({ ...attested, authorization: [BASIC] })).rejects.toEqual(code('invalid_client'));
    const form: TokenInput['form'] = [...FORM, ['client_secret', 'secret']];
    await expect(send({ ...attested, form })).rejects.toEqual(code('invalid_client'));
    expect(used).toEqual([]);
    await send({ ...attested, form: [...FORM, ['client_secret', '']] });
    expect(used).toEqual(['attestation', 'dpop']);
  });

  it('VCI:T7 is judged after the form and before DPoP', async () => {
    const { send } = endpoint();
    const form = FORM.slice(0, 1);
    await expect(send({ authorization: [BASIC], form, dpop: [] })).rejects.toEqual(code('invalid_request'));
    await expect(send({ authorization: [BASIC], dpop: [] })).rejects.toEqual(code('invalid_client'));
  });

  it('VCI:T4 a client_id alone is no authentication', async () => {
    const { redemptions, send } = endpoint();
    await send({ form: [...FORM, ['client_id', 'wallet']], authorization: [] });
    expect(redemptions).toHaveLength(1);
  });
});

describe('DPoP nonces at the token endpoint', () => {
  it('VCI:D17 VCI:D18 asks for a nonce and takes the one that it brought; the code is still good', async () => {
    const { send, used, redemptions } = endpoint({ demandsDpopNonces: true });
    const failure: unknown = await send().catch((error: unknown) => error);
    expect(failure).toEqual(code('use_dpop_nonce'));
    expect([used, redemptions]).toEqual([[], []]);
    const { freshNonce } = failure as { freshNonce: string };
    const answer = await send({ dpop: [await tokenProof(key, { nonce: freshNonce })] });
    expect(answer.dpop_nonce).toMatch(/^[A-Za-z0-9_-]{48}$/);
    expect(answer.dpop_nonce).not.toBe(freshNonce);
  });

  it.each(['c_nonce', 'attestation_challenge'] as const)('VCI:N5 a %s is no DPoP nonce', async (purpose) => {
    const { send } = endpoint({ demandsDpopNonces: true });
    const dpop = [await tokenProof(key, { nonce: nonce(purpose) })];
    await expect(send({ dpop })).rejects.toEqual(code('use_dpop_nonce'));
  });

  it('VCI:D17 hands out none while none are demanded', async () => {
    expect(await endpoint().send()).not.toHaveProperty('dpop_nonce');
  });
});

describe('issueChallenge', () => {
  const challenge = (changes = {}) =>
    issueChallenge({
      clock: () => NOW,
      random: randomBytes,
      nonceKeys: [NONCE_KEY],
      clientAuthentication: policy(changes),
    })();

  it('VCI:C12 makes a challenge that the token endpoint takes', async () => {
    const { attestation_challenge: fresh, ...rest } = await challenge();
    expect(rest).toEqual({});
    await endpoint().send(await wallet.headers(fresh));
  });

  it.each([{ challenge: 'off' as const }, { attesterKeys: undefined }])('is not there with %j', async (changes) => {
    await expect(challenge(changes)).rejects.toMatchObject({ kind: 'not_found', code: 'route_not_found' });
  });
});
