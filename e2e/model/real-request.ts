import { sampleQuery } from '@vestibule/dev-stack';
import { endIn } from '../src/flows';
import { exchange, postForm, readRequestObject, requestUriIn, type OpenedRequest } from '../src/handmade-wallet';
import type { RequestKind, RequestStep, Showing } from './request-model';
import { forgetRequest } from './passing-time';
import { makeForm, type Form } from './responses';
import { atLast, create, manage, unlessAway, type Creation, type FlowKind, type World } from './world';

const RETURN_TO = 'https://shop.example/return';
const TRANSACTION = { type: 'payment', credential_ids: ['card'], amount: '10.00' };

/** A response that a wallet has sent. */
export interface Sent {
  readonly form: Form;
  readonly showing: Showing;
  readonly isSameDevice: boolean;
  readonly held: 0 | 1;
  /** The same for the same bytes. */
  readonly response: number;
  readonly redirects: boolean;
  /** The addresses to which the answers sent the browser. */
  readonly redirectUris: Set<string>;
}

/** A presentation request, and what its wallets and its backend have seen. */
export interface RealRequest {
  readonly id: string;
  readonly creation: Creation;
  readonly kind: RequestKind & FlowKind;
  readonly variants: { readonly crossDevice: OpenedRequest; readonly sameDevice: OpenedRequest };
  readonly sent: Sent[];
}

/** What a response shows, on which device, and which of the two credentials. */
export interface Response {
  readonly showing: Showing;
  readonly isSameDevice: boolean;
  readonly held: 0 | 1;
}

async function fetchAtLast(world: World, uri: string): Promise<OpenedRequest> {
  const { text } = await atLast(() => unlessAway(world, () => exchange(world.via(requestUriIn(uri)))));
  return readRequestObject(text);
}

export async function createRequest(world: World, kind: RealRequest['kind']): Promise<RealRequest> {
  const body = {
    dcql_query: sampleQuery(world.bench.stage.stack.issuerUrl),
    ...(kind.hasRedirect ? { redirect_uri: RETURN_TO } : {}),
    ...(kind.hasTransaction ? { transaction_data: [TRANSACTION] } : {}),
  };
  const creation = await create(world, '/oidc4vp', body, kind);
  const [crossDevice, sameDevice] = await Promise.all(
    ['cross_device_request_uri', 'same_device_request_uri'].map((name) =>
      fetchAtLast(world, String(creation.made[name])),
    ),
  );
  const variants = { crossDevice, sameDevice } as RealRequest['variants'];
  return { id: String(creation.made['state']), creation, kind, variants, sent: [] };
}

/** Makes a response to a request; `foreign` is the request that it is mistaken for. */
export async function makeResponse(
  world: World,
  request: RealRequest,
  foreign: RealRequest,
  { showing: drawn, isSameDevice, held }: Response,
): Promise<Sent> {
  // Where there is no transaction, none need be confirmed.
  const showing = drawn === 'unconfirmed' && !request.kind.hasTransaction ? 'good' : drawn;
  const { crossDevice, sameDevice } = request.variants;
  const [own, twin] = isSameDevice ? [sameDevice, crossDevice] : [crossDevice, sameDevice];
  const other = world.held[held === 0 ? 1 : 0];
  const of = { own, twin, foreign: foreign.variants.crossDevice, held: world.held[held], other };
  const form = await makeForm(showing, of);
  const bytes = JSON.stringify(form);
  const known = request.sent.find((one) => JSON.stringify(one.form) === bytes);
  const response = known?.response ?? request.sent.length;
  const redirects = showing === 'good' && isSameDevice && request.kind.hasRedirect;
  const sent: Sent = { form, showing, isSameDevice, held, response, redirects, redirectUris: new Set() };
  request.sent.push(sent);
  return sent;
}

const errorIn = (text: string) => (JSON.parse(text) as { readonly error?: string }).error;

async function fetchObject(world: World, { creation }: RealRequest, isPost: boolean): Promise<string | undefined> {
  const url = world.via(requestUriIn(String(creation.made['cross_device_request_uri'])));
  const ask = () => (isPost ? postForm(url, { wallet_nonce: 'n'.repeat(32) }) : exchange(url));
  const answer = await unlessAway(world, ask);
  return answer && (answer.status === 200 ? '200' : `${answer.status} ${errorIn(answer.text)}`);
}

async function respond(world: World, request: RealRequest, sent: Sent): Promise<string | undefined> {
  const answer = await unlessAway(world, () =>
    postForm(world.via(request.variants.crossDevice.responseUri), { ...sent.form }),
  );
  if (!answer || answer.status !== 200) return answer && String(answer.status);
  const { redirect_uri: redirectUri } = JSON.parse(answer.text) as { redirect_uri?: string };
  if (redirectUri === undefined) return '200';
  sent.redirectUris.add(redirectUri);
  return '200 redirect';
}

const told = (answer: { status: number; body: Record<string, unknown> }, member = 'code') =>
  [answer.status, answer.body[member]].filter((part) => part !== undefined).join(' ');

/** Takes a step; what was answered, as the model writes it. */
export async function takeRequestStep(world: World, request: RealRequest, step: RequestStep, sent?: Sent) {
  const { id } = request;
  switch (step.kind) {
    case 'fetch':
      return fetchObject(world, request, step.isPost);
    case 'respond':
      return respond(world, request, sent as Sent);
    case 'expire':
      await endIn(world.bench.stage, 0, id);
      return 'done';
    case 'withdraw': {
      const answer = await manage(world, 'DELETE', `/oidc4vp/${id}`);
      return answer && told(answer);
    }
    case 'read': {
      const answer = await manage(world, 'GET', `/oidc4vp/${id}`);
      return answer && told(answer, answer.status === 200 ? 'status' : 'code');
    }
    case 'forget':
      return forgetRequest(world, id);
    case 'listed':
      throw new TypeError('a list is read as a whole');
  }
}
