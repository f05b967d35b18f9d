import assert from 'node:assert/strict';
import type { RequestMembers } from '@vestibule/dev-stack';
import { until } from '@vestibule/testkit';
import { NARROW_USE } from './registrations';
import { PERSON, type Scenario } from './scenarios';
import type { World } from './world';

const PAYMENT = 'urn:example:payment';

type Members = Readonly<Record<string, unknown>>;

const query = ({ vct }: World, members: Members = {}) => ({
  id: 'card',
  format: 'dc+sd-jwt',
  meta: { vct_values: [vct] },
  claims: [{ path: ['family_name'] }],
  ...members,
});

/** What is asked, in a world with its own type. */
type Asking = (world: World) => object;

const single =
  (members: Members = {}): Asking =>
  (world) => ({ credentials: [query(world, members)] });

/** Answers a request; gives the event of the backend. */
async function answer(world: World, asking: Asking, command: object = {}, more: RequestMembers = {}) {
  const { crossDevice, state } = await world.ask({ dcql_query: asking(world), ...more });
  const told = await world.tell({ do: 'present', uri: crossDevice, ...command });
  assert.equal(told.error, undefined);
  return { told, event: await world.end(state) };
}

/** What a backend receives: the claims by query, or why there are none. */
function received({ status, credentials, errorDetails }: Members): Members {
  if (status !== 'FULFILLED') return { status, reason: String(errorDetails).split(':')[0] };
  const presented = Object.entries(credentials as Readonly<Record<string, readonly { claims: object }[]>>);
  return Object.fromEntries(presented.map(([id, all]) => [id, all.map(({ claims }) => claims)]));
}

interface How {
  readonly command?: object;
  readonly more?: RequestMembers;
}

const ends = (name: string, expected: object, asking: Asking, { command, more }: How = {}): Scenario => ({
  name,
  run: async (world) => {
    const { event } = await answer(world, asking, command, more);
    assert.deepEqual(received(event), expected);
  },
});

/** What every presentation shows: the type has it plain. */
const PLAIN = { issuing_country: 'DE' };
const FAMILY = { ...PLAIN, family_name: 'Example' };
const GIVEN = { ...PLAIN, given_name: 'Ada' };
const payment = { type: PAYMENT, credential_ids: ['card'], transaction_data_hashes_alg: ['sha-256'] };
const CARD = { card: [FAMILY] };

async function returnToBrowser(world: World): Promise<void> {
  const redirect = 'https://shop.example/done';
  const { sameDevice, state } = await world.ask({ dcql_query: single()(world), redirect_uri: redirect });
  const told = await world.tell({ do: 'present', uri: sameDevice });
  assert.match(told.redirectUri ?? '', /^https:\/\/shop\.example\/done\?response_code=[\w-]{43}$/);
  assert.equal((await world.end(state))['status'], 'FULFILLED');
  assert.match((await world.tell({ do: 'present', uri: sameDevice })).error ?? '', /InvalidJarJwt/);
}

/** The wallet sees it immediately, and the verifier when its copy of the list has ended. */
async function revoke(world: World): Promise<void> {
  const { uri, offerId } = await world.offer({ claims: PERSON });
  assert.equal((await world.tell({ do: 'redeem', uri, name: 'revoked' })).credentials?.length, 1);
  assert.deepEqual(await world.tell({ do: 'notify' }), {});
  assert.equal((await world.end(offerId))['status'], 'ISSUED');
  assert.deepEqual(await world.tell({ do: 'status', name: 'revoked' }), { status: 'Valid' });
  assert.equal((await world.manage('PATCH', `/offers/${offerId}/status`, { status: 'revoked' })).status, 200);
  assert.deepEqual(await world.tell({ do: 'status', name: 'revoked' }), { status: 'Invalid' });
  const isRefused = async () => {
    const { event } = await answer(world, single(), { from: ['revoked'] });
    return event['status'] === 'VERIFICATION_FAILED' && String(event['errorDetails']).startsWith('credential_revoked:');
  };
  await until(isRefused, 60, { everyMilliseconds: 1_000 });
}

async function takeTwo(world: World): Promise<void> {
  const { uri } = await world.offer({ claims: PERSON });
  assert.equal((await world.tell({ do: 'redeem', uri, keys: 2 })).credentials?.length, 2);
}

const NESTED = [
  { path: ['address', 'locality'] },
  { path: ['nationalities', null] },
  { path: ['nationalities', 0] },
  { path: ['issuing_country'] },
];
const EITHER = [
  { id: 'a', path: ['given_name'] },
  { id: 'b', path: ['family_name'] },
];
const two = (world: World) => [query(world), query(world, { id: 'second', claims: [{ path: ['given_name'] }] })];
const registered = { requiresRegistration: true };
const paid = { command: { transactionTypes: [PAYMENT] }, more: { transaction_data: [payment] } };

/** How the wallet presents two credentials of a batch. */
export const PRESENTATION: readonly Scenario[] = [
  { name: 'two credentials to present', run: takeTwo },
  ends('a request by POST, with wallet metadata and wallet_nonce', CARD, single()),
  ends('a request by GET', CARD, single(), { command: { fetches: 'get' } }),
  ends('an encrypted request object', CARD, single(), { command: { fetches: 'encrypted' } }),
  ends('an answer with A256GCM', CARD, single(), { command: { method: 'A256GCM' } }),
  ends(
    'an encryption that only the wallet knows: it says so',
    { status: 'REJECTED', reason: 'invalid_request' },
    single(),
    { command: { method: 'A192GCM' } },
  ),
  ends(
    'nested claims and elements of an array',
    { card: [{ ...PLAIN, address: { locality: 'Bonn' }, nationalities: ['DE', 'FR'] }] },
    single({ claims: NESTED }),
  ),
  ends('a wallet that demands the registration certificate of the verifier', CARD, single(), { command: registered }),
  ends('as much as is registered', { card: [GIVEN] }, single({ claims: [{ path: ['given_name'] }] }), {
    command: registered,
    more: { intended_use: NARROW_USE },
  }),
  ends('more than is registered', { status: 'REJECTED', reason: 'invalid_request' }, single(), {
    command: registered,
    more: { intended_use: NARROW_USE },
  }),
  ends('values', CARD, single({ claims: [{ path: ['family_name'], values: ['Example', 'Other'] }] })),
  ends('claim_sets', { card: [GIVEN] }, single({ claims: EITHER, claim_sets: [['a'], ['b']] })),
  ends('no claims', { card: [PLAIN] }, single({ claims: undefined })),
  ends('multiple', { card: [FAMILY, FAMILY] }, single({ multiple: true })),
  ends('two queries', { card: [FAMILY], second: [GIVEN] }, (world) => ({ credentials: two(world) })),
  ends(
    'credential_sets, of which one is optional',
    CARD,
    (world) => ({
      credentials: two(world),
      credential_sets: [{ options: [['card']] }, { options: [['second']], required: false }],
    }),
    { command: { queries: ['card'] } },
  ),
  ends(
    'a query that the wallet leaves out',
    { status: 'VERIFICATION_FAILED', reason: 'credential_missing' },
    (world) => ({ credentials: two(world) }),
    { command: { queries: ['card'] } },
  ),
  ends('no holder binding', CARD, single({ require_cryptographic_holder_binding: false })),
  ends('transaction data', CARD, single(), paid),
  ends(
    'transaction data of a type that the wallet does not know',
    { status: 'REJECTED', reason: 'invalid_transaction_data' },
    single(),
    { more: paid.more },
  ),
  ends('a user who declines', { status: 'REJECTED', reason: 'access_denied' }, single(), {
    command: { declines: true },
  }),
  { name: 'the same device, and a request that has been answered', run: returnToBrowser },
  { name: 'a revoked credential', run: revoke },
];
