import { createWallet, type PresentationOptions, type Wallet } from '@vestibule/demo-wallet';
import {
  createManagement,
  offerSample,
  requestSample,
  SAMPLE_TYPE,
  sampleQuery,
  waitForStatus,
  type Backend,
  type CallbackReceiver,
  type Management,
  type OfferMembers,
  type RequestMembers,
  type Stack,
} from '@vestibule/dev-stack';
import type { Canary } from './canary';

/** What the flows run against. */
export interface Scene {
  readonly stack: Stack;
  readonly backend: CallbackReceiver;
  readonly canary: Canary;
  /** Ids of requests and offers whose events the backend refuses. */
  readonly refused: Set<string>;
  /** Bodies of error answers, as a backend receives them. */
  readonly errorAnswers: string[];
  readonly wallet: Wallet;
}

/** One flow and how it ended. */
export interface Ended {
  readonly name: string;
  readonly id: string;
  readonly status: string;
}

const CALLBACK_MILLISECONDS = 60_000;
const WRONG_CODES = 5;

/** Claims that all contain the canary. */
export const claimsOf = ({ mark }: Canary) => ({
  given_name: `${mark} given`,
  family_name: `${mark} family`,
  birthdate: `${mark} birth`,
});

/** A call whose answer is collected if it is an error: it must contain nothing of the request. */
export async function call(
  { stack, errorAnswers }: Scene,
  ...[method, path, given]: Parameters<Management>
): Promise<object> {
  const { status, body } = await createManagement(stack.managementUrl)(method, path, given);
  if (status < 300) return body;
  errorAnswers.push(JSON.stringify(body));
  throw new Error(`${method} ${path} answers ${status}`);
}

const backendOf = (scene: Scene): Backend => ({
  issuerUrl: scene.stack.issuerUrl,
  create: (path, body) => call(scene, 'POST', path, body),
});

/** Waits for the event, checks its status and, if it should contain claims, that the canary is there. */
export async function awaitEvent(scene: Scene, flow: Ended, withClaims = false): Promise<Ended> {
  const { name, id, status } = flow;
  const { text } = await waitForStatus(scene.backend, id, status, CALLBACK_MILLISECONDS);
  if (withClaims && !text.includes(scene.canary.core)) throw new Error(`${name}: the event does not hold the canary`);
  return flow;
}

export async function offer(scene: Scene, members: OfferMembers = {}) {
  const made = await offerSample(backendOf(scene), { claims: claimsOf(scene.canary), ...members });
  return { ...made, id: made.offerId };
}

export async function ask(scene: Scene, members: RequestMembers = {}) {
  const { mark } = scene.canary;
  const claims = [
    { path: ['given_name'], values: [claimsOf(scene.canary).given_name, `${mark} other`] },
    { path: ['family_name'] },
  ];
  const dcql_query = sampleQuery(scene.stack.issuerUrl, { claims });
  const made = await requestSample(backendOf(scene), { dcql_query, ...members });
  return { ...made, id: made.state };
}

async function issued(scene: Scene, extra: OfferMembers = {}): Promise<Ended> {
  const { id, uri, txCode } = await offer(scene, extra);
  await scene.wallet.redeemOffer(uri, txCode === undefined ? {} : { txCode });
  return awaitEvent(scene, { name: 'issuance, ISSUED', id, status: 'ISSUED' });
}

/** The wallet never acknowledges the credential: the answer is kept for it until it expires. */
async function issuedInSilence(scene: Scene): Promise<Ended> {
  const { id, uri } = await offer(scene);
  await scene.wallet.redeemOffer(uri, { notify: false });
  return awaitEvent(scene, { name: 'issuance, ISSUED, no notification from the wallet', id, status: 'ISSUED' });
}

async function failed(scene: Scene): Promise<Ended> {
  const { id, uri, txCode } = await offer(scene, { tx_code: {} });
  const wrong = txCode === '000000' ? '000001' : '000000';
  const refusals = [];
  for (let attempt = 0; attempt < WRONG_CODES; attempt += 1)
    refusals.push(
      await createWallet()
        .redeemOffer(uri, { txCode: wrong })
        .then(
          () => false,
          () => true,
        ),
    );
  if (refusals.includes(false)) throw new Error('a wrong transaction code was accepted');
  return awaitEvent(scene, { name: 'issuance, FAILED', id, status: 'FAILED' });
}

async function offerExpired(scene: Scene): Promise<Ended> {
  const { id } = await offer(scene, { expires_in: 1 });
  return awaitEvent(scene, { name: 'issuance, EXPIRED', id, status: 'EXPIRED' });
}

/** The backend cancels its offer. */
async function cancelled(scene: Scene): Promise<Ended> {
  const { id } = await offer(scene);
  await call(scene, 'DELETE', `/offers/${id}`);
  return awaitEvent(scene, { name: 'issuance, cancelled', id, status: 'FAILED' });
}

const DENIAL = (canary: Canary): PresentationOptions => ({ deny: true, errorDescription: `${canary.core} refused` });
const FAULTS = {
  VERIFICATION_FAILED: { keyBinding: { payload: { nonce: 'x'.repeat(43) } } },
  PROCESSING_ERROR: { plaintext: (json: string) => `${json} no JSON` },
} as const;

async function presented(
  scene: Scene,
  flow: { readonly sameDevice: boolean; readonly extra?: RequestMembers; readonly options?: PresentationOptions },
): Promise<Ended> {
  const { id, sameDevice, crossDevice } = await ask(scene, flow.extra);
  await scene.wallet.present(flow.sameDevice ? sameDevice : crossDevice, flow.options ?? {});
  const name = `verification, FULFILLED, ${flow.sameDevice ? 'same' : 'cross'}-device`;
  return awaitEvent(scene, { name, id, status: 'FULFILLED' }, true);
}

async function refusedByWallet(scene: Scene, sameDevice: boolean): Promise<Ended> {
  const request = await ask(scene);
  await scene.wallet.present(sameDevice ? request.sameDevice : request.crossDevice, DENIAL(scene.canary));
  return awaitEvent(scene, { name: 'verification, REJECTED', id: request.id, status: 'REJECTED' }, true);
}

async function faulty(scene: Scene, status: keyof typeof FAULTS): Promise<Ended> {
  const { id, crossDevice } = await ask(scene);
  await scene.wallet.present(crossDevice, { faults: FAULTS[status] });
  return awaitEvent(scene, { name: `verification, ${status}`, id, status });
}

async function requestExpired(scene: Scene): Promise<Ended> {
  const { id } = await ask(scene, { expires_in: 1 });
  return awaitEvent(scene, { name: 'verification, EXPIRED', id, status: 'EXPIRED' });
}

/** What a backend writes into a refused request must not come back in the answer, or be stored anywhere. */
async function invalidCalls(scene: Scene): Promise<void> {
  const { mark } = scene.canary;
  const wrong = [
    ['/offers', { credential_configuration_id: SAMPLE_TYPE, claims: { shoe: mark } }],
    ['/offers', { credential_configuration_id: mark, claims: claimsOf(scene.canary) }],
    ['/oidc4vp', { dcql_query: { credentials: mark } }],
    ['/oidc4vp', { dcql_query: {}, redirect_uri: mark }],
  ] as const;
  for (const [path, body] of wrong) {
    const accepted = await call(scene, 'POST', path, body).then(
      () => true,
      () => false,
    );
    if (accepted) throw new Error(`${path} accepted what it must refuse`);
  }
}

/**
 * Every kind of end once. With `canaryInRedirect` the same-device request has a redirect address that contains the
 * canary, which is kept under seal for a byte-identical repeat until the retention ends.
 */
export async function runAllFlows(scene: Scene, canaryInRedirect: boolean): Promise<readonly Ended[]> {
  const basket = canaryInRedirect ? scene.canary.mark : 'plain';
  const redirect = `https://shop.example/return?basket=${encodeURIComponent(basket)}`;
  const payment = { type: 'payment', credential_ids: ['card'], payee: scene.canary.mark };
  const ended = [await issued(scene), await issued(scene, { tx_code: { length: 6 } }), await failed(scene)];
  ended.push(await issuedInSilence(scene));
  ended.push(await offerExpired(scene));
  ended.push(await cancelled(scene));
  ended.push(
    await presented(scene, { sameDevice: false }),
    await presented(scene, { sameDevice: true, extra: { redirect_uri: redirect } }),
    await presented(scene, {
      sameDevice: false,
      extra: { transaction_data: [payment] },
      options: { transactionDataTypes: ['payment'] },
    }),
    await refusedByWallet(scene, false),
    await refusedByWallet(scene, true),
    await faulty(scene, 'VERIFICATION_FAILED'),
    await faulty(scene, 'PROCESSING_ERROR'),
    await requestExpired(scene),
  );
  await invalidCalls(scene);
  return ended;
}
