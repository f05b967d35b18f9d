import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@vestibule/foundation';
import { loadCredentialTypes, type CredentialType } from '@vestibule/oid4vci';
import type { OpenOffer } from '../domain/credential-offer';
import {
  ISSUER,
  LONG_CHAIN,
  CLAIMS,
  ISSUER_URL,
  NOW,
  PLAIN_TYPE_ID,
  TYPE_ID,
  TYPES,
  without,
} from '../testing/issuer.fixture-spec';
import { createCredentialOffer } from './create-credential-offer';
import type { OfferAnswer, Repeatable } from '../domain/ports';

interface Stored {
  readonly offer: OpenOffer;
  readonly txCodeValue: string | undefined;
  readonly answer: OfferAnswer;
  readonly call: Repeatable | undefined;
}

const BODY: JsonObject = { credential_configuration_id: TYPE_ID, claims: CLAIMS };

const DEPS = {
  ...{ clock: () => NOW, random: randomBytes, recall: async () => undefined },
  issuerUrl: ISSUER_URL,
  ...LONG_CHAIN,
  addresses: {
    callbackUrlFault: (url: string) => (url.startsWith('https://b.example/') ? undefined : 'must be another'),
    credentialOfferEndpoint: 'openid-credential-offer://',
  },
};

async function create(body: JsonObject, types = TYPES, chain: Partial<typeof LONG_CHAIN> = {}) {
  const stored: Stored[] = [];
  const use = createCredentialOffer({
    ...DEPS,
    types,
    ...chain,
    insert: async (offer, txCodeValue, answer, call) => {
      stored.push({ offer, txCodeValue, answer, call });
      return answer;
    },
  });
  const answer = await use({ body });
  return { answer, stored: stored[0] as Stored };
}

async function faultsOf(body: JsonObject, types = TYPES): Promise<{ code: string; paths: string[]; messages: string }> {
  try {
    await create(body, types);
  } catch (error) {
    const { code, faults } = error as { code: string; faults: { path: string; message: string }[] };
    return { code, paths: faults.map(({ path }) => path).sort(), messages: JSON.stringify(faults) };
  }
  throw new Error('the offer was accepted');
}

describe('the receiver of one offer', () => {
  it('is kept as it was accepted', async () => {
    const { stored } = await create({ ...BODY, callback_url: 'https://b.example/hooks' });
    expect(stored.offer.callbackUrl).toBe('https://b.example/hooks');
    expect((await create(BODY)).stored.offer).not.toHaveProperty('callbackUrl');
  });

  it.each([['https://evil.example/'], ['no URL'], [7], [`https://b.example/${'a'.repeat(2_048)}`]])(
    'is refused: %s',
    async (callback_url) => {
      const { code, paths } = await faultsOf({ ...BODY, callback_url });
      expect([code, paths]).toEqual(['invalid_request', ['callback_url']]);
    },
  );
});

describe('VCI:V9 an offer of a type whose validity the chain cuts', () => {
  it.each([
    ['2026-03-02T12:59:59Z', '2026-03-02T12:00:00.000Z'],
    ['2026-03-01T13:30:00Z', '2026-03-01T13:00:00.000Z'],
    ['2026-03-02T13:00:00Z', undefined],
    ['2036-01-01T00:00:00Z', undefined],
  ])('is reported when it is made, and answered as always: %s', async (chainEnd, end) => {
    const reported: unknown[] = [];
    const chain = {
      chainEndsAt: () => new Date(chainEnd),
      reportShortened: (...all: unknown[]) => void reported.push(all),
    };
    const { answer } = await create(BODY, TYPES, chain as typeof LONG_CHAIN);
    expect(Object.keys(answer)).toEqual(['offer_id', 'credential_offer_uri']);
    expect(reported).toEqual(end === undefined ? [] : [[TYPE_ID, new Date(end)]]);
  });

  it('is not reported when the offer is refused', async () => {
    const reportShortened = jest.fn();
    const chain = { chainEndsAt: () => NOW, reportShortened };
    await expect(create({ ...BODY, claims: 7 }, TYPES, chain as typeof LONG_CHAIN)).rejects.toThrow();
    expect(reportShortened).not.toHaveBeenCalled();
  });
});

describe('createCredentialOffer: what it makes', () => {
  it('answers with the offer id and a link to the offer object, and stores the claims', async () => {
    const { answer, stored } = await create(BODY);
    const { offerId } = stored.offer;
    expect(answer).toEqual({
      offer_id: offerId,
      credential_offer_uri: `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(
        `${ISSUER_URL}/oidc4vci/offers/${offerId}`,
      )}`,
    });
    expect(stored).toEqual({
      offer: {
        offerId,
        configurationId: TYPE_ID,
        claims: CLAIMS,
        preAuthorizedCode: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        createdAt: NOW,
        expiresAt: new Date('2026-03-01T12:39:56Z'),
      },
      txCodeValue: undefined,
      answer,
      call: undefined,
    });
  });

  it('VCI:O5 VCI:O6 makes offer id and code anew each time, and neither holds the other', async () => {
    const offers = await Promise.all(Array.from({ length: 50 }, () => create(BODY)));
    const texts = offers.flatMap(({ stored }) => [stored.offer.offerId, stored.offer.preAuthorizedCode]);
    expect(new Set(texts).size).toBe(100);
    for (const { answer, stored } of offers) {
      expect(JSON.stringify(answer)).not.toContain(stored.offer.preAuthorizedCode);
    }
  });

  it.each([1, 86_400])('expires after expires_in: %d s', async (seconds) => {
    const { stored } = await create({ ...BODY, expires_in: seconds });
    expect(stored.offer.expiresAt).toEqual(new Date(NOW.getTime() + seconds * 1000));
  });

  it('VCI:O7 VCI:O8 VCI:O9 with an empty tx_code makes six digits, shows them once and keeps them out of the offer', async () => {
    const { answer, stored } = await create({ ...BODY, tx_code: {} });
    expect(answer.tx_code_value).toMatch(/^\d{6}$/);
    expect(stored.txCodeValue).toBe(answer.tx_code_value);
    expect(stored.offer.txCode).toEqual({ inputMode: 'numeric', length: 6 });
    expect(JSON.stringify(stored.offer)).not.toContain(answer.tx_code_value);
    expect(answer.credential_offer_uri).not.toContain(answer.tx_code_value);
  });

  it('VCI:O7 VCI:O9 makes a code of the mode and length that the backend asked for', async () => {
    const tx_code = { input_mode: 'text', length: 16, description: 'the letter we sent' };
    const { answer, stored } = await create({ ...BODY, tx_code });
    expect(answer.tx_code_value).toMatch(/^[2-9A-HJ-NP-Z]{16}$/);
    expect(stored.offer.txCode).toEqual({ inputMode: 'text', length: 16, description: 'the letter we sent' });
  });

  it('hands the idempotency key and the body as it came to the store, and answers what the store answers', async () => {
    const use = createCredentialOffer({
      ...DEPS,
      types: TYPES,
      insert: async (_offer, _txCode, _answer, call) => ({
        offer_id: 'the-first-one',
        credential_offer_uri: JSON.stringify(call),
      }),
    });
    const answer = await use({ body: BODY, idempotencyKey: 'k'.repeat(32) });
    expect(answer.offer_id).toBe('the-first-one');
    expect(JSON.parse(answer.credential_offer_uri)).toEqual({ key: 'k'.repeat(32), body: BODY });
  });
});

describe('createCredentialOffer: what it refuses', () => {
  it('claims of which a full batch would be larger than any answer, with the bound in the fault', async () => {
    const claims = { ...CLAIMS, given_name: 'ü'.repeat(20_000) };
    const bounded = (mostClaimBytes: number) =>
      new Map([...TYPES].map(([id, type]) => [id, { ...type, mostClaimBytes: () => mostClaimBytes }] as const));
    const { code, paths, messages } = await faultsOf({ ...BODY, claims }, bounded(37_000));
    expect([code, paths]).toEqual(['invalid_request', ['claims']]);
    expect(messages).toContain('must have at most 37000 bytes');
    expect(messages).not.toContain('üü');
    expect((await create({ ...BODY, claims }, bounded(41_000))).stored).toBeDefined();
  });

  it('VCI:M24 refuses an unknown type with its own code, and lists the other faults too', async () => {
    expect(await faultsOf({ credential_configuration_id: 'pid' })).toMatchObject({
      code: 'unknown_credential_configuration',
      paths: ['credential_configuration_id'],
    });
    expect(await faultsOf({ credential_configuration_id: '', expires_in: 0, claims: [] })).toMatchObject({
      code: 'unknown_credential_configuration',
      paths: ['claims', 'credential_configuration_id', 'expires_in'],
    });
    expect((await faultsOf({ credential_configuration_id: 'toString' })).code).toBe('unknown_credential_configuration');
    await expect(create({ credential_configuration_id: 'x' })).rejects.toThrow(/: credential_configuration_id is not /);
  });

  it('17.13 names the types that there are, twenty at most', async () => {
    const [type] = [...TYPES.values()];
    if (!type) throw new Error('there is no type');
    const typesOf = (count: number) =>
      new Map(Array.from({ length: count }, (_, n) => [`type-${String(n).padStart(2, '0')}`, type]));
    const few = await faultsOf({ credential_configuration_id: 'pid' }, typesOf(3));
    expect(few.messages).toContain('which has: type-00, type-01, type-02"');
    const many = await faultsOf({ credential_configuration_id: 'pid' }, typesOf(25));
    expect(many.messages).toContain('type-19, …"');
    expect(many.messages).not.toContain('type-20');
  });

  it.each<[string, JsonObject, string[]]>([
    ['no type', without(BODY, 'credential_configuration_id'), ['credential_configuration_id']],
    ['a type that is no text', { ...BODY, credential_configuration_id: 7 }, ['credential_configuration_id']],
    ['claims that are no object', { ...BODY, claims: ['x'] }, ['claims']],
    ['claims that are null', { ...BODY, claims: null }, ['claims']],
    ['an expires_in of 0', { ...BODY, expires_in: 0 }, ['expires_in']],
    ['an expires_in of more than a day', { ...BODY, expires_in: 86_401 }, ['expires_in']],
    ['an expires_in of text', { ...BODY, expires_in: '300' }, ['expires_in']],
    ['a fraction of a second', { ...BODY, expires_in: 1.5 }, ['expires_in']],
    ['VCI:O7 a tx_code that is no object', { ...BODY, tx_code: '123456' }, ['tx_code']],
    ['VCI:O7 a tx_code of null', { ...BODY, tx_code: null }, ['tx_code']],
    ['VCI:O7 another input mode', { ...BODY, tx_code: { input_mode: 'pin' } }, ['tx_code.input_mode']],
    ['VCI:O7 a code of 3', { ...BODY, tx_code: { length: 3 } }, ['tx_code.length']],
    ['VCI:O7 a code of 17', { ...BODY, tx_code: { length: 17 } }, ['tx_code.length']],
    ['VCI:O7 301 characters', { ...BODY, tx_code: { description: 'x'.repeat(301) } }, ['tx_code.description']],
    ['an unknown member of tx_code', { ...BODY, tx_code: { value: '123456' } }, ['tx_code.value']],
    ['unknown members', { ...BODY, a: 1, b: 2 }, ['a', 'b']],
    ['VCI:V19 no claims', { credential_configuration_id: PLAIN_TYPE_ID }, ['claims.club']],
    ['VCI:V19 a missing claim', { ...BODY, claims: without(CLAIMS, 'given_name') }, ['claims.given_name']],
    [
      'VCI:V19 a missing claim in an object that is there',
      { ...BODY, claims: { ...CLAIMS, address: { locality: 'x' } } },
      ['claims.address.country'],
    ],
    ['a claim that the type does not list', { ...BODY, claims: { ...CLAIMS, height: 1 } }, ['claims.height']],
    [
      'VCI:V18 more array elements with a disclosure of their own than a credential may have',
      { ...BODY, claims: { ...CLAIMS, nationalities: Array.from({ length: 500 }, () => 'DE') } },
      ['claims'],
    ],
    ['a claim with the name of its parent', { ...BODY, claims: { ...CLAIMS, claims: 1 } }, ['claims.claims']],
    [
      'everything at once',
      { ...BODY, expires_in: -1, tx_code: { length: 99 }, extra: true, claims: { height: 1, iss: 'x' } },
      [
        'claims.address.country',
        'claims.family_name',
        'claims.given_name',
        'claims.height',
        'claims.iss',
        'expires_in',
        'extra',
        'tx_code.length',
      ],
    ],
  ])('refuses %s at its place', async (_what, body, paths) => {
    expect(await faultsOf(body)).toMatchObject({ code: 'invalid_request', paths });
  });

  it.each(['iss', 'sub', 'iat', 'exp', 'nbf', 'jti', 'vct', 'vct#integrity', 'cnf', 'status', 'aka_vcts'])(
    'VCI:V17 refuses the claim %s, which the issuer sets itself or never issues, even where the type lists it',
    async (name) => {
      const document = { claims: [{ path: [name], sd: 'never' }, { path: ['club'] }] };
      const bytes = Buffer.from(JSON.stringify(document), 'utf8');
      const [type] = loadCredentialTypes([{ configurationId: 'greedy', bytes }], ISSUER_URL) as [CredentialType];
      const rules = { issuer: ISSUER, validitySeconds: 3_600, hasStatus: false, mostClaimBytes: () => 100_000 };
      const types = new Map([['greedy', { ...type, ...rules }]]);
      const body = (claims: JsonObject): JsonObject => ({ credential_configuration_id: 'greedy', claims });
      expect(await faultsOf(body({ club: 'A', [name]: 1 }), types)).toMatchObject({
        code: 'invalid_request',
        paths: [`claims.${name}`],
      });
      await expect(create(body({ club: 'A' }), types)).resolves.toHaveProperty('answer');
    },
  );

  it.each(['_sd', '...', '_sd_alg'])('VCI:V16 refuses the name %s at any depth', async (name) => {
    const claims = { ...CLAIMS, [name]: [], address: { country: 'x', [name]: 1 } };
    expect(await faultsOf({ ...BODY, claims })).toMatchObject({
      code: 'invalid_request',
      paths: [`claims.${name}`, `claims.address.${name}`],
    });
  });

  it.each([
    ['expiresIn', 'expires_in'],
    ['txCode', 'tx_code'],
    ['credentialConfigurationId', 'credential_configuration_id'],
    ['claim', 'claims'],
  ])('says that %s probably means %s', async (name, meant) => {
    const { paths, messages } = await faultsOf({ ...BODY, [name]: 1 });
    expect(paths).toEqual([name]);
    expect(messages).toContain(meant);
  });

  it('never repeats the value of a claim in a fault', async () => {
    const claims = { ...CLAIMS, address: 'canary-secret-text', given_name: null, extra: 'canary-extra' };
    expect((await faultsOf({ ...BODY, claims })).messages).not.toContain('canary');
  });
});
