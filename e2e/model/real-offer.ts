import { SAMPLE_TYPE } from '@vestibule/dev-stack';
import { endIn } from '../src/flows';
import { exchange } from '../src/handmade-wallet';
import { createHolder, type Holder } from '../src/handmade-credential';
import type { Endpoint, HandmadeWallet, OpenedOffer, RawAnswer } from '../src/issuance-bench';
import type { CredentialStep, Keys, NotificationEvent, OfferKind, OfferStep, TokenStep } from './offer-model';
import {
  atLast,
  CANARY,
  claimsWith,
  create,
  discloseFamilyName,
  manage,
  unlessAway,
  type Creation,
  type World,
} from './world';

type Members = Record<string, unknown>;

/** A wallet with two keys to prove. */
export interface TwoKeyed {
  readonly wallet: HandmadeWallet;
  readonly keys: Readonly<Record<'a' | 'b', Holder>>;
}

/** A credential offer, and what its wallets and its backend have seen. */
export interface RealOffer {
  readonly id: string;
  readonly creation: Creation;
  readonly kind: OfferKind;
  readonly opened: OpenedOffer;
  readonly wallets: readonly [TwoKeyed, TwoKeyed];
  /** The different access tokens, transactions, notification ids and answers with credentials that wallets got. */
  readonly tokens: Set<string>;
  /** By the keys that they are for. */
  readonly transactions: Map<Keys, string>;
  readonly notificationIds: Set<string>;
  readonly answers: Set<string>;
  redeemedAt: number | undefined;
  /** The number of the last claims that its backend gave. */
  claims: number;
}

export const createTwoKeyed = (world: World): TwoKeyed => {
  const wallet = world.bench.createWallet();
  return { wallet, keys: { a: wallet.holder, b: createHolder() } };
};

/** The claims with a number. */
const numbered = (claims: number) => claimsWith(`${CANARY}Claims${claims}`);
const offerAddress = (uri: string) => new URL(uri).searchParams.get('credential_offer_uri') ?? '';

async function readCode(world: World, uri: string): Promise<string> {
  const { text } = await atLast(() => unlessAway(world, () => exchange(offerAddress(uri))));
  const { grants } = JSON.parse(text) as { grants: Record<string, { 'pre-authorized_code': string }> };
  return Object.values(grants)[0]?.['pre-authorized_code'] ?? '';
}

export async function createOffer(
  world: World,
  wallets: RealOffer['wallets'],
  kind: OfferKind,
  copies: number,
): Promise<RealOffer> {
  const { hasTxCode, isDeferred } = kind;
  const body = {
    credential_configuration_id: SAMPLE_TYPE,
    ...(isDeferred ? { deferred: true } : { claims: numbered(0) }),
    ...(hasTxCode ? { tx_code: {} } : {}),
  };
  const creation = await create(world, '/offers', body, copies);
  const { offer_id: id, credential_offer_uri: uri, tx_code_value: txCode } = creation.made as Record<string, string>;
  const opened = { offerId: id ?? '', uri: uri ?? '', txCode, code: await readCode(world, uri ?? '') };
  return {
    id: opened.offerId,
    creation,
    kind,
    opened,
    wallets,
    tokens: new Set(),
    transactions: new Map(),
    notificationIds: new Set(),
    answers: new Set(),
    redeemedAt: undefined,
    claims: 0,
  };
}

const UNKNOWN = 'unknown'.repeat(6);
const only = (set: ReadonlySet<string>) => [...set].at(-1) ?? UNKNOWN;
const told = ({ status, json }: RawAnswer) => [status, json['error']].filter((part) => part !== undefined).join(' ');
/** `A` is in no transaction code of digits. */
const CODES = { right: (code: string | undefined) => code, wrong: () => 'AAAAAA' };

async function takeToken(world: World, offer: RealOffer, step: TokenStep): Promise<string | undefined> {
  const { wallet } = offer.wallets[step.wallet] as TwoKeyed;
  const { txCode } = offer.opened;
  const other = txCode === undefined ? '000000' : undefined;
  const tx_code = step.code === 'other' ? other : CODES[step.code](txCode);
  const answer = await unlessAway(world, () => wallet.askToken(wallet.form(offer.opened, { tx_code })));
  if (answer?.status !== 200) return answer && told(answer);
  offer.redeemedAt ??= performance.now();
  offer.tokens.add(String(answer.json['access_token']));
  return '200';
}

const postOf = (world: World, offer: RealOffer, by: number) => (endpoint: Endpoint, body: unknown) =>
  unlessAway(world, () => (offer.wallets[by] as TwoKeyed).wallet.post(endpoint, only(offer.tokens), body));

/** Credentials as the model writes them: which claims they have, and which keys they are bound to. */
function readCredentials(offer: RealOffer, { wallet: by }: { wallet: number }, answer: RawAnswer): string {
  offer.answers.add(answer.text);
  offer.notificationIds.add(String(answer.json['notification_id']));
  const { keys } = offer.wallets[by] as TwoKeyed;
  const read = (answer.json['credentials'] as { credential: string }[]).map(({ credential }) => {
    const { familyName, sdJwt } = discloseFamilyName(credential);
    const payload = JSON.parse(Buffer.from(sdJwt.split('.')[1] ?? '', 'base64url').toString('utf8')) as Members;
    const { x } = (payload['cnf'] as { jwk: Members }).jwk;
    const key = (['a', 'b'] as const).find((name) => keys[name].jwk['x'] === x);
    return { claims: familyName.replace(`${CANARY}Claims`, ''), key };
  });
  return `200 claims ${[...new Set(read.map(({ claims }) => claims))].join()} ${read.map(({ key }) => key).join('')}`;
}

/** What a wallet got for these keys; each has one transaction, whatever happens. */
function judge(offer: RealOffer, by: { wallet: number }, keys: Keys | null, answer: RawAnswer | undefined) {
  if (answer?.status === 200) return readCredentials(offer, by, answer);
  if (answer?.status === 202 && keys !== null) {
    const transaction = String(answer.json['transaction_id']);
    expect(offer.transactions.get(keys) ?? transaction).toBe(transaction);
    offer.transactions.set(keys, transaction);
  }
  return answer && told(answer);
}

/** The body of a credential request with this nonce. */
function requestBody({ wallet, keys }: TwoKeyed, names: Keys, nonce: string, isWrong: boolean): object {
  const claims = isWrong ? { claims: { aud: 'https://other.example' } } : {};
  const jwt = [...names].map((name) => wallet.keyProof(nonce, { signer: keys[name as 'a' | 'b'], ...claims }));
  return { credential_configuration_id: SAMPLE_TYPE, proofs: { jwt } };
}

async function takeCredential(world: World, offer: RealOffer, step: CredentialStep, nonce: string) {
  const { wallet, keys, isWrong } = step;
  const body = requestBody(offer.wallets[wallet] as TwoKeyed, keys, nonce, isWrong);
  return judge(offer, step, keys, await postOf(world, offer, wallet)('credential', body));
}

async function notify(world: World, offer: RealOffer, wallet: number, event: NotificationEvent) {
  const notification = { notification_id: only(offer.notificationIds), event };
  const answer = await postOf(world, offer, wallet)('notification', notification);
  return answer && told(answer);
}

async function change(world: World, ...call: Parameters<World['bench']['stage']['management']>) {
  const answer = await manage(world, ...call);
  if (!answer) return undefined;
  const { status, body } = answer;
  return [status, body['code']].filter((part) => part !== undefined).join(' ');
}

/** An offer as its backend sees it, in the words of the model. */
export function viewOf({ status, deferral, notification }: Members): string {
  const { event } = (notification ?? {}) as { event?: string };
  return `200 ${[status, status === 'OFFER_CREATED' ? deferral : '', event].filter(Boolean).join(' ')}`;
}

/** What only the backend does. */
async function takeBackendStep(world: World, { id }: RealOffer, step: OfferStep): Promise<string | undefined> {
  const path = `/offers/${id}`;
  if (step.kind === 'cancel') return change(world, 'DELETE', path);
  if (step.kind === 'deny') return change(world, 'PATCH', path, { status: 'denied' });
  if (step.kind === 'supply') return change(world, 'PATCH', path, { claims: numbered(step.claims) });
  if (step.kind === 'status') {
    const answer = await manage(world, 'PATCH', `${path}/status`, { status: step.status });
    if (answer?.status !== 200) return answer && `${answer.status} ${String(answer.body['code'])}`;
    return `200 ${String(answer.body['status'])} ${String(answer.body['credentials'])}`;
  }
  const answer = await manage(world, 'GET', path);
  if (answer?.status !== 200) return answer && `${answer.status} ${String(answer.body['code'])}`;
  return viewOf(answer.body);
}

/** Takes a step; what was answered, as the model writes it. `nonce` is that of a credential request. */
export async function takeOfferStep(world: World, offer: RealOffer, step: OfferStep, nonce: string) {
  switch (step.kind) {
    case 'open': {
      const answer = await unlessAway(world, () => exchange(offerAddress(offer.opened.uri)));
      if (answer?.status === 200) return '200';
      return answer && `${answer.status} ${(JSON.parse(answer.text) as { error: string }).error}`;
    }
    case 'token':
      return takeToken(world, offer, step);
    case 'credential':
      return takeCredential(world, offer, step, nonce);
    case 'collect': {
      const { wallet, transaction: keys } = step;
      const known = keys === null ? undefined : offer.transactions.get(keys);
      const body = { transaction_id: known ?? UNKNOWN };
      return judge(offer, step, keys, await postOf(world, offer, wallet)('deferred_credential', body));
    }
    case 'notify':
      return notify(world, offer, step.wallet, step.event);
    case 'expire':
      await endIn(world.bench.stage, 0, offer.id);
      return 'done';
    default:
      return takeBackendStep(world, offer, step);
  }
}
