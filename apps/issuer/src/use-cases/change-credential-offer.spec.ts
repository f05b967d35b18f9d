import type { IssuanceEvent } from '@vestibule/contracts';
import type { JsonObject } from '@vestibule/foundation';
import { CLAIMS, NOW, TYPE_ID, TYPES, without } from '../testing/issuer.fixture-spec';
import { cancelCredentialOffer } from './cancel-credential-offer';
import { changeCredentialOffer, type ChangeCredentialOfferDeps } from './change-credential-offer';
import { getCredentialOffer } from './read-credential-offer';
import type { ChangeableOffer, OfferView } from '../domain/stored-offer';

const VIEW: OfferView = { offer_id: 'offer-1', status: 'OFFER_CREATED', created_at: 'x', expires_at: 'y' };
const OPEN: ChangeableOffer = { configurationId: TYPE_ID, isOpen: true, isDeferred: true };
const code = (expected: string) => expect.objectContaining({ code: expected });

function open(offer: ChangeableOffer | undefined = OPEN, deps: Partial<ChangeCredentialOfferDeps> = {}) {
  const completed: JsonObject[] = [];
  const events: IssuanceEvent[] = [];
  const use = changeCredentialOffer({
    clock: () => NOW,
    types: TYPES,
    findChangeable: async () => offer,
    completeClaims: async (_offerId, claims) => !!completed.push(claims),
    deny: async (_offerId, event) => !!events.push(event),
    view: getCredentialOffer({
      clock: () => NOW,
      types: TYPES,
      chainEndsAt: () => new Date('2036-01-01T00:00:00Z'),
      findView: async () => ({ configurationId: TYPE_ID, view: VIEW, shortenedTo: undefined }),
    }),
    ...deps,
  });
  return { completed, events, change: (body: JsonObject) => use({ offerId: 'offer-1', body }) };
}

async function faultsOf(body: JsonObject, offer = OPEN): Promise<string[]> {
  const { change, completed, events } = open(offer);
  const error = (await change(body).catch((caught: unknown) => caught)) as { code: string; faults: { path: string }[] };
  expect([error.code, completed, events]).toEqual(['invalid_request', [], []]);
  return error.faults.map(({ path }) => path).sort();
}

describe('changeCredentialOffer', () => {
  it('refuses claims of which a full batch would be larger than any answer, and leaves the offer open', async () => {
    const types = new Map([...TYPES].map(([id, type]) => [id, { ...type, mostClaimBytes: () => 37_000 }] as const));
    const claims = { ...CLAIMS, given_name: 'x'.repeat(40_000) };
    const { change, completed } = open(OPEN, { types });
    await expect(change({ claims })).rejects.toMatchObject({ code: 'invalid_request', faults: [{ path: 'claims' }] });
    expect(completed).toEqual([]);
    expect(await open().change({ claims })).toEqual(VIEW);
  });

  it('refuses claims larger than those of any offer with the code of a body that is too large', async () => {
    const { change, completed } = open();
    const refused = change({ claims: { ...CLAIMS, given_name: 'x'.repeat(131_072) } });
    await expect(refused).rejects.toMatchObject({ code: 'body_too_large', faults: [{ path: 'claims' }] });
    expect(completed).toEqual([]);
  });

  it('completes with all claims, and answers what is to be seen of the offer', async () => {
    const { change, completed, events } = open();
    expect(await change({ claims: CLAIMS })).toEqual(VIEW);
    expect([completed, events]).toEqual([[CLAIMS], []]);
  });

  it('takes no claims where the type is not configured, for nobody can judge them, and a denial', async () => {
    const { change, completed, events } = open(OPEN, { types: new Map() });
    await expect(change({ claims: { nonsense: 1 } })).rejects.toEqual(code('credential_type_missing'));
    expect([completed, events]).toEqual([[], []]);
    await change({ status: 'denied' });
    expect(events).toHaveLength(1);
  });

  it('VCI:F4 denies: FAILED with a reason', async () => {
    const { change, completed, events } = open();
    await change({ status: 'denied' });
    expect(completed).toEqual([]);
    expect(events).toEqual([
      {
        eventId: 'offer-1',
        status: 'FAILED',
        offerId: 'offer-1',
        errorDetails: expect.stringMatching(/^issuance_denied: /),
      },
    ]);
  });

  it.each<[string, JsonObject, string[]]>([
    ['nothing', {}, ['body']],
    ['both', { claims: CLAIMS, status: 'denied' }, ['body']],
    ['another status', { status: 'issued' }, ['status']],
    ['an unknown member', { claims: CLAIMS, claim: 1 }, ['claim']],
    ['claims that are none', { claims: [] }, ['claims']],
    [
      'VCI:V18 more disclosures than a credential may have',
      { claims: { ...CLAIMS, nationalities: Array.from({ length: 500 }, () => 'DE') } },
      ['claims'],
    ],
    [
      'VCI:V17 VCI:V19 every wrong claim at once',
      { claims: { ...without(CLAIMS, 'given_name'), shoe_size: 44, iss: 'x' } },
      ['claims.given_name', 'claims.iss', 'claims.shoe_size'],
    ],
  ])('refuses %s', async (_what, body, paths) => {
    expect(await faultsOf(body)).toEqual(paths);
  });

  it('refuses an unknown offer, one that has ended and one that is complete from the start', async () => {
    const body = { claims: CLAIMS };
    await expect(open(undefined, { findChangeable: async () => undefined }).change(body)).rejects.toEqual(
      code('credential_offer_not_found'),
    );
    await expect(open({ ...OPEN, isOpen: false }).change(body)).rejects.toEqual(code('credential_offer_ended'));
    await expect(open({ ...OPEN, isDeferred: false }).change(body)).rejects.toEqual(
      code('credential_offer_not_deferred'),
    );
  });

  it('says so when the offer ended meanwhile', async () => {
    const deps = { completeClaims: async () => false, deny: async () => false };
    await expect(open(OPEN, deps).change({ claims: CLAIMS })).rejects.toEqual(code('credential_offer_ended'));
    await expect(open(OPEN, deps).change({ status: 'denied' })).rejects.toEqual(code('credential_offer_ended'));
  });
});

describe('cancelCredentialOffer', () => {
  const cancelling = (outcome: 'cancelled' | 'ended' | 'unknown', events: IssuanceEvent[] = []) =>
    cancelCredentialOffer({ clock: () => NOW, cancel: async (_id, event) => (events.push(event), outcome) });

  it('ends an open offer as FAILED with a reason', async () => {
    const events: IssuanceEvent[] = [];
    expect(await cancelling('cancelled', events)({ offerId: 'offer-1' })).toEqual({});
    expect(events).toEqual([
      {
        eventId: 'offer-1',
        status: 'FAILED',
        offerId: 'offer-1',
        errorDetails: expect.stringMatching(/^offer_cancelled: /),
      },
    ]);
  });

  it('refuses an unknown offer and one that has ended', async () => {
    await expect(cancelling('unknown')({ offerId: 'x' })).rejects.toEqual(code('credential_offer_not_found'));
    await expect(cancelling('ended')({ offerId: 'x' })).rejects.toEqual(code('credential_offer_ended'));
  });
});
