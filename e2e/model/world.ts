import { randomUUID } from 'node:crypto';
import { until } from '@vestibule/testkit';
import { calculateJwkThumbprint } from 'jose';
import { Pool } from 'pg';
import type { Holder } from '../src/handmade-credential';
import type { HandmadeWallet, IssuanceBench } from '../src/issuance-bench';
import type { Answer } from '../src/stage';

type Members = Record<string, unknown>;

/** A credential of the sample type that a wallet presents, disclosing only `family_name`. */
export interface Held {
  readonly familyName: string;
  readonly sdJwt: string;
  readonly holder: Holder;
  /** RFC 7638 thumbprint of the holder's key. */
  readonly thumbprint: string;
}

/** What the flows of a run have in common. */
export interface World {
  readonly bench: IssuanceBench;
  /** Two, so that a response says which one it presents. */
  readonly held: readonly [Held, Held];
  /** Parts of the product are killed meanwhile: an answer may be missing, or be 5xx. */
  readonly isDisturbed: boolean;
  /** Looks into the database. */
  readonly rows: Pool;
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
  unlessAway(world, () => world.bench.stage.management(...call));

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
export async function create(world: World, path: Creation['path'], body: object, copies: number): Promise<Creation> {
  const call = { path, body, key: randomUUID() };
  const answers = await Promise.all(Array.from({ length: copies }, () => send(world, call)));
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
export async function createWorld(bench: IssuanceBench, isDisturbed: boolean): Promise<World> {
  const held = [await hold(bench, `${CANARY}One`), await hold(bench, `${CANARY}Two`)] as const;
  return { bench, held, isDisturbed, rows: new Pool({ connectionString: bench.stage.database.adminUrl, max: 1 }) };
}
