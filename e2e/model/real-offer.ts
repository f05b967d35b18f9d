import { SAMPLE_TYPE } from '@vestibule/dev-stack';
import { endIn } from '../src/flows';
import { exchange } from '../src/handmade-wallet';
import { createHolder, type Holder } from '../src/handmade-credential';
import type { HandmadeWallet, OpenedOffer, RawAnswer } from '../src/issuance-bench';
import { authenticate } from './clients';
import type {
  CollectStep,
  CredentialStep,
  Keys,
  NotificationEvent,
  OfferKind,
  OfferStep,
  TokenStep,
} from './offer-state';
import { forgetOffer, stopRedelivery } from './passing-time';
import { openAnswer, seal } from './secrecy';
import {
  atLast,
  CANARY,
  claimsWith,
  create,
  discloseFamilyName,
  manage,
  unlessAway,
  type Creation,
  type FlowKind,
  type World,
} from './world';

type Members = Record<string, unknown>;

/** A wallet with two keys to prove. */
export interface TwoKeyed {
  readonly wallet: HandmadeWallet;
  readonly keys: Readonly<Record<'a' | 'b', Holder>>;
  /** What answers are encrypted to. */
  readonly inbox: Holder;
}

/** A credential offer, and what its wallets and its backend have seen. */
export interface RealOffer {
  readonly id: string;
  readonly creation: Creation;
  readonly kind: OfferKind & FlowKind;
  readonly opened: OpenedOffer;
  readonly wallets: readonly [TwoKeyed, TwoKeyed];
  /** The different access tokens, transactions, notification ids and answers with credentials that wallets got. */
  readonly tokens: Set<string>;
  /** By the keys that they are for. */
  readonly transactions: Map<Keys, string>;
  readonly notificationIds: Set<string>;
  readonly answers: Set<string>;
  readonly credentials: Set<string>;
  redeemedAt: number | undefined;
  /** The number of the last claims that its backend gave. */
  claims: number;
}

export const createTwoKeyed = (world: World): TwoKeyed => {
  const wallet = world.bench.createWallet((url) => world.via(url));
  return { wallet, keys: { a: wallet.holder, b: createHolder() }, inbox: createHolder() };
};

/** The claims with a number. */
const numbered = (claims: number) => claimsWith(`${CANARY}Claims${claims}`);
const offerAddress = (uri: string) => new URL(uri).searchParams.get('credential_offer_uri') ?? '';

async function readCode(world: World, uri: string): Promise<string> {
  const { text } = await atLast(() => unlessAway(world, () => exchange(world.via(offerAddress(uri)))));
  const { grants } = JSON.parse(text) as { grants: Record<string, { 'pre-authorized_code': string }> };
  return Object.values(grants)[0]?.['pre-authorized_code'] ?? '';
}

export async function createOffer(
  world: World,
  wallets: RealOffer['wallets'],
  kind: RealOffer['kind'],
): Promise<RealOffer> {
  const { hasTxCode, isDeferred } = kind;
  const body = {
    credential_configuration_id: SAMPLE_TYPE,
    ...(isDeferred ? { deferred: true } : { claims: numbered(0) }),
    ...(hasTxCode ? { tx_code: {} } : {}),
  };
  const creation = await create(world, '/offers', body, kind);
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
    credentials: new Set(),
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
  const { wallet, keys } = offer.wallets[step.wallet] as TwoKeyed;
  const { txCode } = offer.opened;
  const other = txCode === undefined ? '000000' : undefined;
  const tx_code = step.code === 'other' ? other : CODES[step.code](txCode);
  const form = wallet.form(offer.opened, { tx_code });
  const client = await authenticate(world, keys.a, step.client);
  const answer = await unlessAway(world, () => wallet.askToken(form, wallet.dpop('token'), client));
  if (answer?.status !== 200) return answer && told(answer);
  offer.redeemedAt ??= performance.now();
  offer.tokens.add(String(answer.json['access_token']));
  return '200';
}

/** A request of a wallet for credentials. */
interface Question {
  readonly endpoint: 'credential' | 'deferred_credential';
  /** What it has when it begins: the answer to another request at the same moment may bring another one. */
  readonly token: string;
  readonly body: object;
}

/** What a wallet asks, with what is encrypted of it. */
async function ask(world: World, offer: RealOffer, by: CredentialStep | CollectStep, question: Question) {
  const { endpoint, token, body } = question;
  const { wallet, inbox } = offer.wallets[by.wallet] as TwoKeyed;
  const sealed = await seal(world.requestKey, inbox, by.secrecy, body);
  const answer = await unlessAway(world, () => wallet.post(endpoint, token, ...sealed));
  return answer && openAnswer(answer, inbox, by.secrecy);
}

/** Credentials as the model writes them: which claims they have, and which keys they are bound to. */
function readCredentials(offer: RealOffer, { wallet: by }: { wallet: number }, answer: RawAnswer): string {
  offer.answers.add(answer.text);
  offer.notificationIds.add(String(answer.json['notification_id']));
  const { keys } = offer.wallets[by] as TwoKeyed;
  const read = (answer.json['credentials'] as { credential: string }[]).map(({ credential }) => {
    offer.credentials.add(credential);
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

/** The proofs of a credential request with this nonce. */
async function proofsOf(world: World, { wallet, keys: own }: TwoKeyed, step: CredentialStep, nonce: string) {
  const holders = [...step.keys].map((name) => own[name as 'a' | 'b']);
  if (world.attesters && step.isAttested && !step.isWrong) {
    const { attest } = world.attesters.keyAttestation('attestation');
    return {
      attestation: [
        await attest(
          holders.map(({ jwk }) => jwk as never),
          nonce,
        ),
      ],
    };
  }
  const claims = step.isWrong ? { claims: { aud: 'https://other.example' } } : {};
  return { jwt: holders.map((signer) => wallet.keyProof(nonce, { signer, ...claims })) };
}

async function takeCredential(world: World, offer: RealOffer, step: CredentialStep, nonce: string) {
  const token = only(offer.tokens);
  const proofs = await proofsOf(world, offer.wallets[step.wallet] as TwoKeyed, step, nonce);
  const body = { credential_configuration_id: SAMPLE_TYPE, proofs };
  return judge(offer, step, step.keys, await ask(world, offer, step, { endpoint: 'credential', token, body }));
}

async function collect(world: World, offer: RealOffer, step: CollectStep) {
  const { transaction: keys } = step;
  const known = keys === null ? undefined : offer.transactions.get(keys);
  const body = { transaction_id: known ?? UNKNOWN };
  const question = { endpoint: 'deferred_credential', token: only(offer.tokens), body } as const;
  return judge(offer, step, keys, await ask(world, offer, step, question));
}

async function notify(world: World, offer: RealOffer, wallet: number, event: NotificationEvent) {
  const notification = { notification_id: only(offer.notificationIds), event };
  const { wallet: sender } = offer.wallets[wallet] as TwoKeyed;
  const answer = await unlessAway(world, () => sender.post('notification', only(offer.tokens), notification));
  return answer && told(answer);
}

async function change(world: World, ...call: Parameters<World['bench']['stage']['management']>) {
  const answer = await manage(world, ...call);
  if (!answer) return undefined;
  const { status, body } = answer;
  return [status, body['code']].filter((part) => part !== undefined).join(' ');
}

/** An offer as its backend sees it, in the words of the model. */
export function viewOf({ status, deferral, notification, delivery }: Members): string {
  const [{ event }, { state }] = [notification ?? {}, delivery ?? {}] as [{ event?: string }, { state?: string }];
  const parts = [status, status === 'OFFER_CREATED' ? deferral : '', event, state === 'accepted' && state];
  return `200 ${parts.filter(Boolean).join(' ')}`;
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

async function openOffer(world: World, { opened }: RealOffer): Promise<string | undefined> {
  const answer = await unlessAway(world, () => exchange(world.via(offerAddress(opened.uri))));
  if (answer?.status === 200) return '200';
  return answer && `${answer.status} ${(JSON.parse(answer.text) as { error: string }).error}`;
}

/** Takes a step; what was answered, as the model writes it. `nonce` is that of a credential request. */
export async function takeOfferStep(world: World, offer: RealOffer, step: OfferStep, nonce: string) {
  switch (step.kind) {
    case 'open':
      return openOffer(world, offer);
    case 'token':
      return takeToken(world, offer, step);
    case 'credential':
      return takeCredential(world, offer, step, nonce);
    case 'collect':
      return collect(world, offer, step);
    case 'notify':
      return notify(world, offer, step.wallet, step.event);
    case 'expire':
      await endIn(world.bench.stage, 0, offer.id);
      return 'done';
    case 'stop_redelivery':
      return stopRedelivery(world, offer.id);
    case 'forget':
      return forgetOffer(world, offer.id);
    default:
      return takeBackendStep(world, offer, step);
  }
}
