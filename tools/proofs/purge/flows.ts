import { createWallet, type PresentationOptions, type Wallet } from '@vestibule/demo-wallet';
import type { CallbackReceiver, Stack } from '@vestibule/dev-stack';
import type { Canary } from './canary';

type Members = Record<string, unknown>;

/** What the flows run against. */
export interface Scene {
  readonly stack: Stack;
  readonly backend: CallbackReceiver;
  readonly canary: Canary;
  /** Ids of requests and offers whose events the backend refuses. */
  readonly refused: Set<string>;
  /** Bodies of answers with an error, as a backend gets them. */
  readonly errorAnswers: string[];
  readonly wallet: Wallet;
}

/** One flow and how it ended. */
export interface Ended {
  readonly name: string;
  readonly id: string;
  readonly status: string;
}

const CONFIGURATION_ID = 'identity-card';
const CALLBACK_MILLISECONDS = 60_000;
const WRONG_CODES = 5;

/** Claims of which each holds the canary. */
export const claimsOf = ({ mark }: Canary) => ({
  given_name: `${mark} given`,
  family_name: `${mark} family`,
  birthdate: `${mark} birth`,
});

export async function call(scene: Scene, method: string, path: string, body?: object): Promise<Members> {
  const response = await fetch(`${scene.stack.managementUrl}${path}`, {
    method,
    headers: body ? { 'content-type': 'application/json' } : {},
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (response.ok) return text === '' ? {} : (JSON.parse(text) as Members);
  scene.errorAnswers.push(text);
  throw new Error(`${method} ${path} answers ${response.status}`);
}

const idOf = (body: unknown) => {
  const { state, offerId } = (typeof body === 'object' && body !== null ? body : {}) as Members;
  return state ?? offerId;
};

/** Waits for the event and checks its status, and where claims belong into it, that the canary is there. */
export async function awaitEvent(scene: Scene, flow: Ended, withClaims = false): Promise<Ended> {
  const { name, id, status } = flow;
  const isIt = ({ body }: { body: unknown }) => idOf(body) === id && (body as Members)['status'] === status;
  const { text } = await scene.backend.waitFor(isIt, CALLBACK_MILLISECONDS);
  if (withClaims && !text.includes(scene.canary.core)) throw new Error(`${name}: the event does not hold the canary`);
  return flow;
}

export async function offer(scene: Scene, extra: object = {}) {
  const body = { credential_configuration_id: CONFIGURATION_ID, claims: claimsOf(scene.canary), ...extra };
  const answer = await call(scene, 'POST', '/offers', body);
  const { offer_id: id, credential_offer_uri: uri, tx_code_value: txCode } = answer as Record<string, string>;
  return { id: id as string, uri: uri as string, txCode };
}

export async function ask(scene: Scene, extra: object = {}) {
  const card = {
    id: 'card',
    format: 'dc+sd-jwt',
    meta: { vct_values: [`${scene.stack.issuerUrl}/oidc4vci/types/${CONFIGURATION_ID}`] },
    claims: [
      { path: ['given_name'], values: [claimsOf(scene.canary).given_name, `${scene.canary.mark} other`] },
      { path: ['family_name'] },
    ],
  };
  const answer = await call(scene, 'POST', '/oidc4vp', { dcql_query: { credentials: [card] }, ...extra });
  const {
    state,
    same_device_request_uri: sameDevice,
    cross_device_request_uri: crossDevice,
  } = answer as Record<string, string>;
  return { id: state as string, sameDevice: sameDevice as string, crossDevice: crossDevice as string };
}

async function issued(scene: Scene, extra: object = {}): Promise<Ended> {
  const { id, uri, txCode } = await offer(scene, extra);
  await scene.wallet.redeemOffer(uri, txCode === undefined ? {} : { txCode });
  return awaitEvent(scene, { name: 'issuance, ISSUED', id, status: 'ISSUED' });
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

/** The backend takes its offer back. */
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
  flow: { readonly sameDevice: boolean; readonly extra?: object; readonly options?: PresentationOptions },
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

/** What a backend writes into a request that is refused must not come back in the answer, or stay anywhere. */
async function invalidCalls(scene: Scene): Promise<void> {
  const { mark } = scene.canary;
  const wrong = [
    ['/offers', { credential_configuration_id: CONFIGURATION_ID, claims: { shoe: mark } }],
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
 * Every kind of end once. With `canaryInRedirect` the same-device request goes back to an address that holds the canary,
 * which stays under seal for a byte-identical repeat until the retention is over.
 */
export async function runAllFlows(scene: Scene, canaryInRedirect: boolean): Promise<readonly Ended[]> {
  const basket = canaryInRedirect ? scene.canary.mark : 'plain';
  const redirect = `https://shop.example/return?basket=${encodeURIComponent(basket)}`;
  const payment = { type: 'payment', credential_ids: ['card'], payee: scene.canary.mark };
  const ended = [await issued(scene), await issued(scene, { tx_code: { length: 6 } }), await failed(scene)];
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
