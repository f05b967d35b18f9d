import type { OpenOffer } from '../domain/credential-offer';
import { CLAIMS, ISSUER_URL, NOW, TYPE_ID, TYPES } from '../testing/issuer.fixture-spec';
import { getCredentialOffer, getOfferObject, type GetCredentialOfferDeps } from './read-credential-offer';
import type { OfferView, StoredOffer } from '../domain/stored-offer';

const OFFER: OpenOffer = {
  offerId: 'offer-1',
  configurationId: TYPE_ID,
  claims: CLAIMS,
  preAuthorizedCode: 'the-code',
  createdAt: NOW,
  expiresAt: new Date(NOW.getTime() + 300_000),
};
const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const code = (expected: string) => expect.objectContaining({ code: expected, kind: 'not_found' });

function read(offer: OpenOffer | undefined) {
  const asked: unknown[] = [];
  const use = getOfferObject({
    clock: () => NOW,
    issuerUrl: ISSUER_URL,
    findOpen: async (...question) => {
      asked.push(question);
      return offer;
    },
  });
  return { asked, use };
}

describe('getOfferObject', () => {
  it('VCI:O4 VCI:O10 VCI:O14 has issuer, configuration and code, and nothing of the claims', async () => {
    const { asked, use } = read(OFFER);
    const { offer } = await use({ offerId: 'offer-1' });
    expect(offer).toEqual({
      credential_issuer: ISSUER_URL,
      credential_configuration_ids: [TYPE_ID],
      grants: { [GRANT]: { 'pre-authorized_code': 'the-code' } },
    });
    expect(asked).toEqual([['offer-1', NOW]]);
    expect(JSON.stringify(offer)).not.toContain('canary');
  });

  it('VCI:O7 VCI:O8 tells what the transaction code looks like', async () => {
    const { use } = read({ ...OFFER, txCode: { inputMode: 'text', length: 8, description: 'by post' } });
    const { offer } = await use({ offerId: 'offer-1' });
    expect(offer['grants']).toEqual({
      [GRANT]: {
        'pre-authorized_code': 'the-code',
        tx_code: { input_mode: 'text', length: 8, description: 'by post' },
      },
    });
  });

  it('VCI:O12 may be read again and again, with the same answer', async () => {
    const { use } = read(OFFER);
    expect(await use({ offerId: 'offer-1' })).toEqual(await use({ offerId: 'offer-1' }));
  });

  it('VCI:O13 does not tell an ended offer from one that never was', async () => {
    await expect(read(undefined).use({ offerId: 'offer-1' })).rejects.toEqual(code('offer_not_found'));
  });
});

describe('getCredentialOffer', () => {
  const view: OfferView = {
    offer_id: 'offer-1',
    status: 'ISSUED',
    created_at: '2026-03-01T12:34:56.000Z',
    expires_at: '2026-03-01T12:39:56.000Z',
    finished_at: '2026-03-01T12:35:00.000Z',
  };

  const deps = (stored: StoredOffer | undefined, chainEndsAt = '2036-01-01T00:00:00Z'): GetCredentialOfferDeps => ({
    clock: () => NOW,
    types: TYPES,
    chainEndsAt: () => new Date(chainEndsAt),
    findView: async () => stored,
  });
  const offer = (changes: Partial<StoredOffer> = {}): StoredOffer => ({
    configurationId: TYPE_ID,
    view,
    shortenedTo: undefined,
    ...changes,
  });
  const seen = (stored: StoredOffer | undefined, end?: string) =>
    getCredentialOffer(deps(stored, end))({ offerId: 'offer-1' });

  it('answers status and times', async () => {
    await expect(seen(offer())).resolves.toEqual(view);
  });

  it('VCI:V9 says when the credentials end, where the certificates of the issuer end before their validity', async () => {
    const open = offer({ view: { ...view, status: 'OFFER_CREATED' } });
    expect(await seen(open, '2026-03-02T05:30:00Z')).toEqual({
      ...open.view,
      validity_shortened_to: '2026-03-02T05:00:00.000Z',
    });
    expect(await seen(open, '2026-03-02T13:00:00Z')).toEqual(open.view);
    expect(await seen(open, '2026-03-02T12:59:59Z')).toHaveProperty('validity_shortened_to');
  });

  it('VCI:V9 says of an issued offer what it was issued with, whatever certificate is there now', async () => {
    const shortenedTo = new Date('2026-03-02T05:00:00Z');
    expect(await seen(offer({ shortenedTo }))).toMatchObject({ validity_shortened_to: '2026-03-02T05:00:00.000Z' });
    expect(await seen(offer(), '2026-03-02T05:30:00Z')).toEqual(view);
    const ended = offer({ view: { ...view, status: 'EXPIRED' } });
    expect(await seen(ended, '2026-03-02T05:30:00Z')).toEqual(ended.view);
    expect(
      await seen(offer({ configurationId: 'gone', view: { ...view, status: 'OFFER_CREATED' } })),
    ).not.toHaveProperty('validity_shortened_to');
  });

  it('knows nothing of an unknown or forgotten offer', async () => {
    await expect(seen(undefined)).rejects.toEqual(code('credential_offer_not_found'));
  });
});
