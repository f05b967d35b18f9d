import assert from 'node:assert/strict';
import { SAMPLE_TYPE, type OfferMembers } from '@vestibule/dev-stack';
import { PERSON, type Scenario } from './scenarios';
import type { World } from './world';

const offered = (world: World, members: OfferMembers = {}) => world.offer({ claims: PERSON, ...members });

/** Redeems an offer, verifies what comes, tells the issuer, and waits until the backend is told that all of it is issued. */
async function redeem(world: World, command: object, count: number, members: OfferMembers = {}): Promise<void> {
  const { uri, offerId, txCode } = await offered(world, members);
  const told = await world.tell({
    do: 'redeem',
    uri,
    keys: count,
    ...(txCode === undefined ? {} : { txCode }),
    ...command,
  });
  assert.equal(told.error, undefined);
  assert.equal(told.credentials?.length, count);
  assert.deepEqual(await world.tell({ do: 'notify' }), {});
  assert.equal((await world.end(offerId))['status'], 'ISSUED');
}

const issued = (name: string, command: object, count = 1, members: OfferMembers = {}): Scenario => ({
  name,
  run: (world) => redeem(world, command, count, members),
});

async function refused(world: World, command: object, error: RegExp, members: OfferMembers = {}): Promise<void> {
  const { uri } = await offered(world, members);
  assert.match((await world.tell({ do: 'redeem', uri, ...command })).error ?? 'no error', error);
}

async function enterWrongCode(world: World): Promise<void> {
  const { uri, txCode } = await offered(world, { tx_code: { input_mode: 'text', length: 8 } });
  assert.match((await world.tell({ do: 'redeem', uri, txCode: 'mistaken' })).error ?? '', /invalid_grant/);
  assert.equal((await world.tell({ do: 'redeem', uri, txCode })).error, undefined);
}

async function waitForCredentials(world: World): Promise<void> {
  const { uri, offerId } = await world.offer({ deferred: true, claims: {} });
  for (const command of [{ do: 'redeem', uri, keys: 2 }, { do: 'collect' }, { do: 'again' }])
    assert.deepEqual(await world.tell(command), { credentials: [], deferred: true });
  assert.equal((await world.manage('PATCH', `/offers/${offerId}`, { claims: PERSON })).status, 200);
  assert.equal((await world.tell({ do: 'collect' })).credentials?.length, 2);
  assert.deepEqual(await world.tell({ do: 'notify' }), {});
  assert.equal((await world.end(offerId))['status'], 'ISSUED');
}

async function askAgain(world: World): Promise<void> {
  const { uri, offerId } = await offered(world);
  for (const command of [{ do: 'redeem', uri }, { do: 'again' }])
    assert.equal((await world.tell(command)).credentials?.length, 1);
  assert.deepEqual(await world.tell({ do: 'notify', event: 'credential_failure' }), {});
  assert.equal((await world.end(offerId))['status'], 'ISSUED');
  assert.match((await world.tell({ do: 'redeem', uri })).error ?? '', /NonParseableCredentialOffer/);
}

/** How the wallet gets credentials. */
export const ISSUANCE: readonly Scenario[] = [
  issued('one credential: attested wallet and key, signed metadata, everything encrypted', {}),
  issued('a batch of three', {}, 3),
  issued('a batch of ten, proof type attestation', { proof: 'attestation' }, 10),
  issued('a key on P-384, also of the wallet instance', { curve: 'P-384' }),
  issued('nothing encrypted', { encrypts: false }),
  issued('scopes instead of authorization details', { usesDetails: false }),
  issued('a wallet without attestation', { attestsWallet: false }),
  issued('a wallet that demands a reuse policy', { requiresPolicy: true }, 2),
  issued('a wallet that demands the registration certificate of the issuer', { requiresRegistration: true }),
  issued('a transaction code', {}, 1, { tx_code: { input_mode: 'numeric', length: 6, description: 'see the letter' } }),
  { name: 'a wrong transaction code, then the right one', run: enterWrongCode },
  issued('20 kB of claims', {}, 1, { claims: { ...PERSON, given_name: 'x'.repeat(20_000) } }),
  issued('a clock that is 45 s ahead', { clockOffset: 45 }),
  issued('a clock that is 4 min behind', { clockOffset: -240 }),
  {
    name: 'a clock that is 7 min behind is refused',
    run: (world) => refused(world, { clockOffset: -420 }, /invalid_client/),
  },
  { name: 'credentials that come later', run: waitForCredentials },
  { name: 'a repeated request, a failure, and an offer that has ended', run: askAgain },
  {
    name: 'the issuer for any wallet, whose keys need no attestation, is not readable for these libraries',
    run: (world) =>
      refused(world, {}, /key_attestations_required/, { credential_configuration_id: SAMPLE_TYPE, claims: PERSON }),
  },
];
