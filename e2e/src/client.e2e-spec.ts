import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createClient, verifyCallback, type VerifiedCallback, type VestibuleClient } from '@vestibule/client';
import { SAMPLE_TYPE, type ReceivedCallback } from '@vestibule/dev-stack';
import type { Wallet } from '@vestibule/demo-wallet';
import { CLAIMS, queryFor } from './flows';
import { startStage, type Stage } from './stage';
import { newTenantKey } from './wallet-api';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const edwards = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
const PRIVATE_KEY = `whsk_${Buffer.from(edwards.d ?? '', 'base64url').toString('base64')}`;
const REDIRECT_URI = 'https://shop.example/return';

/** What the backend answers to a call before the gateway sees it. */
let intercept: (() => Response | undefined) | undefined;
const sent: { readonly url: string; readonly key: string | undefined }[] = [];

let stage: Stage;
let wallet: Wallet;
let vestibule: VestibuleClient;
beforeAll(async () => {
  const signed = { CALLBACK_SECRETS: `${SECRET},${PRIVATE_KEY}` };
  stage = await startStage({ environment: { verifier: signed, issuer: signed } });
  wallet = stage.createWallet();
  vestibule = createClient({
    baseUrl: stage.stack.managementUrl,
    apiKey: await newTenantKey(stage, 'client'),
    fetch: async (url, request) => {
      sent.push({ url, key: request.headers['idempotency-key'] });
      return intercept?.() ?? fetch(url, request);
    },
  });
});
afterEach(() => {
  intercept = undefined;
});
afterAll(() => stage?.stop());

/** The callbacks about a flow, verified with the secret and again with the public key alone. */
async function verified(id: string, count: number): Promise<VerifiedCallback[]> {
  await stage.callbacksOf(id, count);
  const [service] = await vestibule.call('listCallbackKeys', {});
  const publicKey = service?.keys.flatMap(({ public_key: shown }) => shown ?? []) ?? [];
  expect(publicKey).toHaveLength(1);
  const about = stage.backend.received.filter(({ text }) => text.includes(id));
  return about.map(({ text, headers }: ReceivedCallback) => {
    expect(verifyCallback(Buffer.from(text), headers, publicKey)).toEqual(verifyCallback(text, headers, SECRET));
    return verifyCallback(text, headers, SECRET);
  });
}

describe('17.11 @vestibule/client, with a real stack and a wallet', () => {
  it('issues a credential: offer, transaction code, wallet, verified events', async () => {
    const offer = await vestibule.offers.create({
      credential_configuration_id: SAMPLE_TYPE,
      claims: CLAIMS,
      tx_code: { length: 6 },
    });
    const ended = vestibule.offers.untilEnded(offer.offer_id);
    const credentials = await wallet.redeemOffer(offer.credential_offer_uri, { txCode: String(offer.tx_code_value) });
    expect(credentials).toHaveLength(1);
    expect(await ended).toMatchObject({ offer_id: offer.offer_id, status: 'ISSUED' });
    const events = await verified(offer.offer_id, 2);
    expect(events.map(({ type, event }) => [type, event.status])).toEqual([
      ['issuance', 'OFFER_CREATED'],
      ['issuance', 'ISSUED'],
    ]);
  });

  it('requests it, on the same and on another device', async () => {
    for (const sameDevice of [true, false]) {
      const request = await vestibule.presentationRequests.create({
        dcql_query: queryFor(stage),
        ...(sameDevice ? { redirect_uri: REDIRECT_URI } : {}),
      });
      const ended = vestibule.presentationRequests.untilEnded(request.state);
      const link = sameDevice ? request.same_device_request_uri : request.cross_device_request_uri;
      const { redirectUri } = await wallet.present(link);
      expect(await ended).toMatchObject({ status: 'FULFILLED', checks: expect.any(Array) as unknown[] });
      const [callback, ...more] = await verified(request.state, 1);
      expect(more).toEqual([]);
      if (callback?.type !== 'presentedCredentials' || callback.event.status !== 'FULFILLED')
        throw new Error('the event is not FULFILLED');
      const { responseCode, credentials } = callback.event;
      expect(credentials['card']?.[0]).toMatchObject({
        isTrusted: true,
        kbSignatureIsValid: true,
        claims: { family_name: CLAIMS.family_name },
      });
      expect(redirectUri).toBe(sameDevice ? `${REDIRECT_URI}?response_code=${responseCode}` : undefined);
    }
  });

  it('creates nothing twice when a response is lost on its way', async () => {
    const since = new Date().toISOString();
    const before = sent.length;
    let lost = 0;
    const real = createClient({
      baseUrl: stage.stack.managementUrl,
      fetch: async (url, request) => {
        sent.push({ url, key: request.headers['idempotency-key'] });
        const response = await fetch(url, request);
        if (request.method !== 'POST' || lost > 0) return response;
        lost += 1;
        throw new TypeError('the connection broke after the request had been executed');
      },
    });
    const { state } = await real.presentationRequests.create({ dcql_query: queryFor(stage) });
    const attempts = sent.slice(before);
    expect(attempts).toHaveLength(2);
    expect(new Set(attempts.map(({ key }) => key)).size).toBe(1);
    const open: string[] = [];
    for await (const item of real.presentationRequests.list({ created_from: since, limit: 1 })) open.push(item.state);
    expect(open).toEqual([state]);
    await real.presentationRequests.cancel(state);
    expect((await verified(state, 1)).map(({ event }) => event.status)).toEqual(['EXPIRED']);
    await expect(real.presentationRequests.cancel(state)).rejects.toMatchObject({
      name: 'ProblemError',
      status: 409,
      code: 'presentation_request_ended',
      requestId: expect.stringMatching(/^[\w.-]{8,64}$/) as string,
    });
  });

  it('waits when it is told to, and names the faults of an input', async () => {
    const busy = { status: 503, headers: { 'retry-after': '0', 'content-type': 'text/plain' } };
    let refusals = 0;
    intercept = () => ((refusals += 1) <= 2 ? new Response('busy', busy) : undefined);
    const { offer_id: offerId } = await vestibule.offers.create({
      credential_configuration_id: SAMPLE_TYPE,
      claims: CLAIMS,
    });
    expect(refusals).toBe(3);
    await vestibule.offers.cancel(offerId);
    expect((await verified(offerId, 2)).map(({ event }) => event.status)).toEqual(['OFFER_CREATED', 'FAILED']);
    const misspelt = { dcql_query: queryFor(stage), expiresIn: 1 } as { dcql_query: ReturnType<typeof queryFor> };
    await expect(vestibule.presentationRequests.create(misspelt)).rejects.toMatchObject({
      code: 'invalid_request',
      faults: [{ path: 'expiresIn', message: expect.stringContaining('expires_in') as string }],
    });
  });

  it('edits, issues, lists and presents wallet content', async () => {
    const { content } = vestibule;
    const { EntityDid: entityDid } = await content.createEntity();
    const { WalletDid: walletDid } = await content.createWallet(entityDid);
    const place = { entityDid, walletDid };
    const field = { kind: 'STRING' as const, value: { name: 'given_name', not_empty: true } };
    const schema = await content.schemas.create({ data: { schema: { fields: [field] } } });
    const published = await content.schemas.publish(schema.id, { entityDid, slug: 'badge' });
    const meta_schema = published.data.meta_schema as string;
    const made: string[] = [];
    for (const value of ['Ada', 'Zoë', 'Erika']) {
      const draft = await content.drafts.create({ data: { meta_schema } }, place);
      const values = { given_name: { kind: 'STRING' as const, value } };
      const changed = await content.drafts.update(draft.id, { data: { values } }, { ifMatch: draft.etag });
      await expect(content.drafts.update(draft.id, {}, { ifMatch: draft.etag })).rejects.toMatchObject({ status: 412 });
      made.push((await content.drafts.issue(draft.id, {}, { ifMatch: changed.etag })).id);
    }
    const listed: string[] = [];
    for await (const item of content.credentials.list({ ...place, limit: 1 })) listed.push(item.CredentialDid);
    expect(listed).toEqual(made);
    const found: string[] = [];
    for await (const { id } of content.schemas.searchPublished({ limit: 1 })) found.push(id);
    expect(found).toHaveLength(1);
    const vp = await content.presentations.create({ CredentialDids: made.slice(0, 1) }, place);
    expect(await content.presentations.issue(vp.PresentationDid)).toMatchObject({ State: 'issued' });
    const old = await vestibule.previousContent.call('DraftGet', { path: { id: made[0] as string } });
    expect([old.kind.version, old.data.schema]).toEqual(['0.38.2', meta_schema]);
  });
});
