import { randomBytes } from 'node:crypto';
import type { Repeatable } from '../domain/ports';
import { CLAIMS, LONG_CHAIN, NOW, TYPE_ID } from '../testing/issuer.fixture-spec';
import { createCredentialOffer } from './create-credential-offer';

const body = { credential_configuration_id: TYPE_ID, claims: CLAIMS };
const key = 'k'.repeat(32);
const earlier = { offer_id: 'earlier', credential_offer_uri: 'openid-credential-offer://' };
const refused = expect.objectContaining({ code: 'unknown_credential_configuration' }) as Error;

/** The issuer has no such type any more. */
function open(answer: typeof earlier | undefined) {
  const asked: Repeatable[] = [];
  const create = createCredentialOffer({
    ...LONG_CHAIN,
    clock: () => NOW,
    random: randomBytes,
    types: new Map(),
    addresses: { callbackUrlFault: () => undefined, credentialOfferEndpoint: 'openid-credential-offer://' },
    insert: () => Promise.reject(new Error('an offer of an unknown type was stored')),
    recall: (call) => Promise.resolve(asked.push(call) > 0 ? answer : undefined),
  });
  return { create, asked };
}

describe('a repeated call that would be refused now', () => {
  it('is answered as before', async () => {
    const { create, asked } = open(earlier);
    expect(await create({ body, idempotencyKey: key })).toEqual(earlier);
    expect(asked).toEqual([{ key, body }]);
  });

  it('is refused if there was none before, or without a key', async () => {
    await expect(open(undefined).create({ body, idempotencyKey: key })).rejects.toEqual(refused);
    await expect(open(earlier).create({ body })).rejects.toEqual(refused);
  });
});
