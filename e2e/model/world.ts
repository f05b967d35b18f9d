import { randomUUID } from 'node:crypto';
import { createManagement } from '@vestibule/dev-stack';
import { until } from '@vestibule/testkit';
import { calculateJwkThumbprint } from 'jose';
import { Pool } from 'pg';
import type { Holder } from '../src/handmade-credential';
import { joinIssuanceBench, type HandmadeWallet, type IssuanceBench, type RequestKey } from '../src/issuance-bench';
import type { Answer } from '../src/stage';
import type { Attesters } from '../src/wallet-attesters';

type Members = Record<string, unknown>;

/** A credential of the sample type that a wallet presents, disclosing only `family_name`. */
export interface Held {
  readonly familyName: string;
  readonly sdJwt: string;
  readonly holder: Holder;
  /** RFC 7638 thumbprint of the holder's key. */
  readonly thumbprint: string;
}

/** How a product is set up in which flows take place. */
export interface Setting {
  /** Parts of the product are killed meanwhile: an answer may be missing, or be 5xx. */
  readonly isDisturbed?: boolean;
  /** KEEP_CLAIMS_UNTIL_EXPIRY. */
  readonly keepsClaims?: boolean;
  /** Who may attest keys; without them every key is proved for itself. */
  readonly attesters?: Attesters;
  /** The `callback_url` of flows that have a receiver of their own. */
  readonly ownReceiver?: string;
  /** The next of several gateways, if there are several. */
  readonly nextGateway?: () => Gateway;
}

/** Where a gateway listens. */
export interface Gateway {
  readonly public: string;
  readonly management: string;
}

/** What the flows of a run have in common. */
export interface World extends Setting {
  readonly bench: IssuanceBench;
  /** Two, so that a response says which one it presents. */
  readonly held: readonly [Held, Held];
  /** What credential requests are encrypted to. */
  readonly requestKey: RequestKey;
  /** Looks into the database. */
  readonly rows: Pool;
  /** The same address at the gateway whose turn it is. */
  via(url: string): string;
  stop(): Promise<void>;
}

/** What any kind of flow may have. */
export interface FlowKind {
  readonly hasOwnReceiver: boolean;
  /** How many calls at the same moment create it. */
  readonly copies: number;
}

/** In every name of a run, and in no other text. */
export const CANARY = 'CanaryModel4b7e';

type Call = Parameters<IssuanceBench['stage']['management']>;

/** An answer of the product; undefined where parts of it are killed meanwhile, and it was not served. */
export async function unlessAway<T extends { readonly status: number }>(
  { isDisturbed }: World,
  ask: () => Promise<T>,
): Promise<T | undefined> {
  if (!isDisturbed) return ask();
  const answer = await ask().catch(() => undefined);
  return answer && answer.status < 500 ? answer : undefined;
}

/** A backend's call. */
export const manage = (world: World, ...call: Call): Promise<Answer | undefined> =>
  unlessAway(world, () => {
    const { management } = world.nextGateway?.() ?? {};
    return (management === undefined ? world.bench.stage.management : createManagement(management))(...call);
  });

/** Asks until it is served. */
export async function atLast<T>(ask: () => Promise<T | undefined>): Promise<T> {
  let answer: T | undefined;
  await until(async () => (answer = await ask()) !== undefined);
  return answer as T;
}

/** A nonce for key proofs. */
export const freshNonce = ({ isDisturbed }: World, wallet: HandmadeWallet): Promise<string> =>
  atLast(() => (isDisturbed ? wallet.nonce().catch(() => undefined) : wallet.nonce()));

/** A creating call, which can be repeated. */
export interface Creation {
  readonly path: '/offers' | '/oidc4vp';
  readonly body: object;
  readonly key: string;
  /** The body of the answer. */
  readonly made: Members;
}

const send = (world: World, { path, body, key }: Omit<Creation, 'made'>) =>
  atLast(() => manage(world, 'POST', path, body, { 'idempotency-key': key }));

/** Creates one thing by several calls with the same key at the same moment. */
export async function create(world: World, path: Creation['path'], body: object, kind: FlowKind): Promise<Creation> {
  const { ownReceiver } = world;
  const receiver = kind.hasOwnReceiver && ownReceiver !== undefined ? { callback_url: ownReceiver } : {};
  const call = { path, body: { ...body, ...receiver }, key: randomUUID() };
  const answers = await Promise.all(Array.from({ length: kind.copies }, () => send(world, call)));
  for (const answer of answers) expect([answer.status, answer.body]).toEqual([201, answers[0]?.body]);
  return { ...call, made: answers[0]?.body ?? {} };
}

/** The same key again: with the same body it makes nothing, with another one it is refused (decisions, section 1). */
export async function createAgain(world: World, creation: Creation, isOther: boolean): Promise<void> {
  const body = isOther ? { ...creation.body, expires_in: 77 } : creation.body;
  const answer = await send(world, { ...creation, body });
  const wanted = isOther ? [409, 'idempotency_conflict'] : [201, undefined];
  expect([answer.status, answer.body['code']]).toEqual(wanted);
  if (!isOther) expect(answer.body).toEqual(creation.made);
}

const nameIn = (disclosure: string) =>
  (JSON.parse(Buffer.from(disclosure, 'base64url').toString('utf8')) as unknown[])[1];

/** The value of `family_name` in a credential, and the credential with no other disclosure. */
export function discloseFamilyName(credential: string): { readonly familyName: string; readonly sdJwt: string } {
  const [jwt = '', ...disclosures] = credential.split('~').filter((part) => part !== '');
  const [own = ''] = disclosures.filter((one) => nameIn(one) === 'family_name');
  const [, , value] = JSON.parse(Buffer.from(own, 'base64url').toString('utf8')) as [string, string, string];
  return { familyName: value, sdJwt: `${jwt}~${own}~` };
}

export const claimsWith = (familyName: string) => ({
  given_name: `${CANARY}Given`,
  family_name: familyName,
  birthdate: '1990-01-31',
});

async function hold(bench: IssuanceBench, name: string): Promise<Held> {
  const wallet: HandmadeWallet = bench.createWallet();
  const token = await wallet.token(await bench.offer({ claims: claimsWith(name) }));
  const { json } = await wallet.post('credential', token, await wallet.body());
  const [{ credential }] = json['credentials'] as [{ credential: string }];
  const { holder } = wallet;
  return { ...discloseFamilyName(credential), holder, thumbprint: await calculateJwkThumbprint(holder.jwk) };
}

/** The world of many histories. */
export async function createWorld(bench: IssuanceBench, setting: Setting = {}): Promise<World> {
  const held = [await hold(bench, `${CANARY}One`), await hold(bench, `${CANARY}Two`)] as const;
  const rows = new Pool({ connectionString: bench.stage.database.adminUrl, max: 2 });
  const { nextGateway } = setting;
  return {
    ...setting,
    bench,
    held,
    requestKey: await bench.requestKey(),
    rows,
    via: (url) => (nextGateway ? `${nextGateway().public}${url.slice(new URL(url).origin.length)}` : url),
    async stop() {
      await rows.end();
      await bench.stop();
    },
  };
}

/** A world at the stage of all tests that need nothing else, for the tests of a file or of a block. */
export function useWorld(): () => World {
  let world: World | undefined;
  beforeAll(async () => {
    world = await createWorld(await joinIssuanceBench());
  });
  afterAll(() => world?.stop());
  return () => world as World;
}
