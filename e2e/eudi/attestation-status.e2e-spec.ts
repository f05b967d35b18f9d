import type { Attester } from './attesters';
import { CARD, PID, prove, startEudiStage, type EudiStage, type Form } from './eudi-stage';
import { promiseCard } from './promised-card';
import type { Json } from './strict-judgement';
import { challengeOf, createKey, keyProof, openSession, readOffer, requestToken, type Answer } from './strict-wallet';

let eudi: EudiStage;
beforeAll(async () => {
  eudi = await startEudiStage();
});
afterAll(async () => eudi?.stop());

const MEDIA_TYPE = 'application/statuslist+jwt';
const DAY_SECONDS = 86_400;
const [VALID, REVOKED, SUSPENDED] = [0, 1, 2];
const now = () => Math.floor(Date.now() / 1000);
const refusal = (status: number, error: string) => ({ status, body: expect.objectContaining({ error }) as Json });
const credentialsOf = ({ body }: Answer) => (body['credentials'] ?? []) as Json[];

/** Publishes a list of a provider at a path: valid, revoked, suspended; gives its address. */
async function publish(path: string, { by = 'ES256' as Attester, sub = '' } = {}): Promise<string> {
  const uri = `${eudi.statusHost.origin}${path}`;
  const token = await eudi.providers.statusList(sub === '' ? uri : sub, [VALID, REVOKED, SUSPENDED, 3], by);
  return eudi.statusHost.at(path, (_request, response) =>
    response.writeHead(200, { 'content-type': MEDIA_TYPE }).end(token),
  );
}

const reference = (uri: string, idx = 0) => ({ status_list: { uri, idx } });
const maintained = (uri: string, idx = 0, days = 31) => ({
  status: reference(uri, idx),
  exp: now() + days * DAY_SECONDS,
});
const proveWith = (claims: Json, more: Partial<Form> = {}) => prove(eudi, { type: 'attestation', claims, ...more });

function serve(path: string, token: string): void {
  eudi.statusHost.at(path, (_request, response) => response.writeHead(200, { 'content-type': MEDIA_TYPE }).end(token));
}

/** A wallet waits for a deferred card for keys whose status is at a path. */
async function waitForCard(path: string) {
  const uri = await publish(path);
  return { path, uri, ...(await promiseCard(eudi, { keyClaims: { key_storage_status: maintained(uri) } })) };
}

describe('EU:K10 VCI:K14 the status of a key attestation', () => {
  it.each(['jwt', 'attestation'] as const)('in a proof of type %s is looked up, once for all', async (type) => {
    const path = `/valid-${type}`;
    const uri = await publish(path);
    for (let round = 0; round < 3; round += 1) {
      const answer = await proveWith({ key_storage_status: maintained(uri), status: reference(uri) }, { type });
      expect(credentialsOf(answer)).toHaveLength(2);
    }
    expect(eudi.statusHost.calls.filter((call) => call === path)).toHaveLength(1);
  });

  it.each<[string, (uri: string) => Json]>([
    ['revoked', (uri) => ({ key_storage_status: maintained(uri, 1) })],
    ['suspended', (uri) => ({ key_storage_status: maintained(uri, 2) })],
    ['of a meaning of its own', (uri) => ({ key_storage_status: maintained(uri, 3) })],
    ['beyond the list', (uri) => ({ key_storage_status: maintained(uri, 1_000) })],
    ['its own, revoked', (uri) => ({ status: reference(uri, 1), key_storage_status: maintained(uri) })],
    ['without a list at its address', (uri) => ({ key_storage_status: maintained(`${uri}-none`) })],
    ['at an address that is not public', () => ({ key_storage_status: maintained('https://10.0.0.1/list') })],
    ['over plain http', () => ({ key_storage_status: maintained('http://lists.example/list') })],
    ['no reference', () => ({ key_storage_status: { status: {}, exp: now() + DAY_SECONDS } })],
    ['no object', () => ({ key_storage_status: 'valid' })],
    ['its own, no reference', () => ({ status: 'valid' })],
    [
      'with an index that is no number',
      (uri) => ({ key_storage_status: { status: { status_list: { uri, idx: '0' } } } }),
    ],
  ])('%s is invalid_proof', async (_what, claims) => {
    const uri = await publish('/statuses');
    for (const type of ['jwt', 'attestation'] as const)
      expect(await proveWith(claims(uri), { type })).toMatchObject(refusal(400, 'invalid_proof'));
  });

  it.each(['ES384', 'ES512'] as const)('EU:K7 is looked up in a list signed with %s', async (by) => {
    const uri = await publish(`/by-${by}`, { by });
    expect(credentialsOf(await proveWith({ key_storage_status: maintained(uri) }))).toHaveLength(2);
    expect(await proveWith({ key_storage_status: maintained(uri, 1) })).toMatchObject(refusal(400, 'invalid_proof'));
  });

  it('on a list of a stranger, or for another address, is invalid_proof', async () => {
    const strange = await publish('/strange', { by: 'stranger' });
    const moved = await publish('/moved', { sub: `${eudi.statusHost.origin}/elsewhere` });
    for (const uri of [strange, moved])
      expect(await proveWith({ key_storage_status: maintained(uri) })).toMatchObject(refusal(400, 'invalid_proof'));
  });

  it('that is unavailable issues nothing, and the wallet may try again', async () => {
    const path = '/unavailable';
    const uri = `${eudi.statusHost.origin}${path}`;
    eudi.statusHost.at(path, (_request, response) => response.writeHead(503).end());
    const offer = await eudi.offer(CARD);
    const session = await openSession(offer.uri, CARD);
    const [key, nonce] = [await createKey(), await session.nonce()];
    const claims = { nonce, key_storage_status: maintained(uri) };
    const key_attestation = await eudi.providers.attestKeys([key.jwk], claims);
    const ask = async () =>
      session.ask({ jwt: [await keyProof(key, { key_attestation }, { aud: session.issuer, nonce })] });
    expect(await ask()).toMatchObject(refusal(503, 'server_error'));
    await publish(path);
    expect(credentialsOf(await ask())).toHaveLength(1);
    expect((await eudi.stage.callbacksOf(offer.offerId, 2)).map(({ status }) => status)).toEqual([
      'OFFER_CREATED',
      'ISSUED',
    ]);
  });

  it('VCI:F4 that was revoked while the wallet waited for a deferred credential is credential_request_denied', async () => {
    const { path, uri, session, transaction, state } = await waitForCard('/revoked-meanwhile');
    serve(path, await eudi.providers.statusList(uri, [REVOKED]));
    // Its copy of the list would be used for five minutes.
    await eudi.stage.stack.process('issuer').restart();
    expect(await session.collect(transaction)).toMatchObject(refusal(400, 'credential_request_denied'));
    expect(await state()).toBe('OFFER_CREATED');
    await publish(path);
    await eudi.stage.stack.process('issuer').restart();
    expect(credentialsOf(await session.collect(transaction))).toHaveLength(1);
  });

  it('VCI:F3 that cannot be looked up, or is suspended, when the deferred credential is ready keeps it promised', async () => {
    const { path, uri, session, transaction, state } = await waitForCard('/unclear-meanwhile');
    await eudi.stage.stack.process('issuer').restart();
    const promised = { status: 202, body: { transaction_id: transaction, interval: expect.any(Number) as number } };
    eudi.statusHost.at(path, (_request, response) => response.writeHead(503).end());
    expect(await session.collect(transaction)).toEqual(promised);
    eudi.statusHost.at(path, (_request, response) => response.writeHead(404).end());
    expect(await session.collect(transaction)).toEqual(promised);
    await publish(path, { by: 'stranger' });
    expect(await session.collect(transaction)).toEqual(promised);
    serve(path, await eudi.providers.statusList(uri, [SUSPENDED]));
    expect(await session.collect(transaction)).toEqual(promised);
    expect(await state()).toBe('OFFER_CREATED');
    await publish(path);
    await eudi.stage.stack.process('issuer').restart();
    expect(credentialsOf(await session.collect(transaction))).toHaveLength(1);
  });
});

/** Redeems an offer with an attested wallet, whose attestation has these claims. */
async function redeemWith(claims: Json, configurationId = CARD, offered?: string) {
  const offer = await readOffer(offered ?? (await eudi.offer(configurationId)).uri);
  const [key, instance] = [await createKey(), await createKey()];
  const attestation = await eudi.providers.attestWallet(instance.jwk, 'ES256', claims);
  return requestToken(offer, key, { attestation, instance, challenge: await challengeOf(offer.issuer) });
}

describe('VCI:C15 the status of a wallet attestation', () => {
  it.each<[string, (uri: string) => Json]>([
    ['revoked', (uri) => ({ client_status: maintained(uri, 1) })],
    ['suspended', (uri) => ({ client_status: maintained(uri, 2) })],
    ['its own, revoked', (uri) => ({ status: reference(uri, 1) })],
    ['without a list at its address', (uri) => ({ client_status: maintained(`${uri}-none`) })],
    ['at an address that is not public', () => ({ client_status: maintained('https://192.168.0.1/list') })],
    ['no reference', () => ({ client_status: { status: [] } })],
  ])('%s is invalid_client, and the code stays good', async (_what, claims) => {
    const uri = await publish('/wallets');
    const offer = (await eudi.offer()).uri;
    expect(await redeemWith(claims(uri), CARD, offer)).toMatchObject(refusal(400, 'invalid_client'));
    expect((await redeemWith({ client_status: maintained(uri), status: reference(uri) }, CARD, offer)).status).toBe(
      200,
    );
  });

  it('that is unavailable gives no token, and the wallet may try again', async () => {
    const path = '/wallets-unavailable';
    const uri = `${eudi.statusHost.origin}${path}`;
    eudi.statusHost.at(path, (_request, response) => response.destroy());
    const offer = (await eudi.offer()).uri;
    const claims = { client_status: maintained(uri) };
    await expect(redeemWith(claims, CARD, offer)).rejects.toThrow(/failed with 503/);
    await publish(path);
    expect((await redeemWith(claims, CARD, offer)).status).toBe(200);
  });
});

/** An attested wallet, whose status is at a path, waits for a deferred card. */
async function waitAttested(path: string) {
  const uri = await publish(path);
  const instance = await createKey();
  const attestation = await eudi.providers.attestWallet(instance.jwk, 'ES256', { client_status: maintained(uri) });
  const attested = { attestation, instance, challenge: await challengeOf(eudi.issuer) };
  return { path, uri, ...(await promiseCard(eudi, { attested })) };
}

describe('VCI:C15 a wallet that authenticated, and waits for a deferred credential', () => {
  it('VCI:F4 gets none once it is revoked, neither for its keys nor for others', async () => {
    const { path, uri, session, transaction } = await waitAttested('/wallet-revoked-meanwhile');
    serve(path, await eudi.providers.statusList(uri, [REVOKED]));
    // Its copy of the list would be used for five minutes.
    await eudi.stage.stack.process('issuer').restart();
    const denied = refusal(400, 'credential_request_denied');
    expect(await session.collect(transaction)).toMatchObject(denied);
    const nonce = await session.nonce();
    const attestation = await eudi.providers.attestKeys([(await createKey()).jwk], { nonce });
    expect(await session.ask({ attestation: [attestation] })).toMatchObject(denied);
  });

  it('VCI:F3 keeps its promise while it is suspended, or its list is away, and gets it after that', async () => {
    const { path, uri, session, transaction } = await waitAttested('/wallet-suspended-meanwhile');
    await eudi.stage.stack.process('issuer').restart();
    eudi.statusHost.at(path, (_request, response) => response.writeHead(503).end());
    expect((await session.collect(transaction)).status).toBe(202);
    serve(path, await eudi.providers.statusList(uri, [SUSPENDED]));
    expect((await session.collect(transaction)).status).toBe(202);
    await publish(path);
    await eudi.stage.stack.process('issuer').restart();
    expect(credentialsOf(await session.collect(transaction))).toHaveLength(1);
  });
});

describe('a PID', () => {
  it('EU:K14 says in the metadata for how long statuses must be maintained, and where its keys must be', async () => {
    const session = await openSession((await eudi.offer()).uri, CARD);
    const period = session.metadata['preferred_client_status_period'] as number;
    expect(period).toBeGreaterThan(14 * DAY_SECONDS);
    expect(period).toBeLessThan(31 * DAY_SECONDS);
    const { [PID]: pid, [CARD]: card } = session.metadata['credential_configurations_supported'] as Record<
      string,
      Json
    >;
    const required = (one: Json | undefined) =>
      Object.values(one?.['proof_types_supported'] as Record<string, Json>).map((type) => type['key_attestations_required']); // prettier-ignore
    const demanded = { key_storage: ['iso_18045_high'], preferred_key_storage_status_period: period };
    expect([required(pid), required(card)]).toEqual([
      [demanded, demanded],
      [{}, {}],
    ]);
  });

  it('needs a wallet attestation with a status that outlives it', async () => {
    const uri = await publish('/pid-wallets');
    const offer = (await eudi.offer(PID)).uri;
    const anonymous = await requestToken(offer, await createKey());
    expect(anonymous).toMatchObject(refusal(400, 'invalid_client'));
    for (const claims of [
      {},
      { status: reference(uri) },
      { client_status: { status: reference(uri) } },
      { client_status: maintained(uri, 0, 13) },
      { client_status: maintained(uri, 1) },
    ])
      expect(await redeemWith(claims, PID, offer)).toMatchObject(refusal(400, 'invalid_client'));
    expect((await redeemWith({ client_status: maintained(uri) }, PID, offer)).status).toBe(200);
  });

  it('EU:K14 needs a key attestation with a status that outlives it, for a secure cryptographic device', async () => {
    const uri = await publish('/pid-keys');
    const [instance, key] = [await createKey(), await createKey()];
    const attestation = await eudi.providers.attestWallet(instance.jwk, 'ES256', { client_status: maintained(uri) });
    const challenge = await challengeOf(eudi.issuer);
    const attested = { attestation, instance, challenge };
    const session = await openSession((await eudi.offer(PID)).uri, PID, { attested });
    const ask = async (claims: Json) => {
      const nonce = await session.nonce();
      return session.ask({ attestation: [await eudi.providers.attestKeys([key.jwk], { nonce, ...claims })] });
    };
    for (const claims of [
      {},
      { status: reference(uri) },
      { key_storage_status: maintained(uri, 0, 13) },
      { key_storage_status: maintained(uri, 1) },
      { key_storage_status: maintained(uri), key_storage: ['iso_18045_moderate'] },
      { key_storage_status: maintained(uri), key_storage: undefined },
    ])
      expect(await ask(claims)).toMatchObject(refusal(400, 'invalid_proof'));
    expect(credentialsOf(await ask({ key_storage_status: maintained(uri) }))).toHaveLength(1);
  });
});
