import { localSigner } from '@vestibule/crypto';
import { createPrivateKeyOf } from '@vestibule/dev-pki';
import { jwsClaims, parseCompactJws } from '@vestibule/crypto';
import type { ApiError, JsonObject } from '@vestibule/foundation';
import { runVerifier } from '../testing/running-verifier.fixture-spec';
import { registration } from '../testing/registration.fixture-spec';
import { answerForm, createWorld, failsWith, pidQuery, type World } from '../testing/verifier.fixture-spec';
import { NO_REGISTRATIONS, type Registrations } from '../domain/registration';
import type { RelyingParties, RelyingParty } from '../domain/relying-party';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const SHOP = 'x509_hash:shop';
const BANK = 'x509_hash:bank';
const USES: Registrations = { policy: 'enforce', byDefault: undefined, all: [registration({ id: 'kyc' })] };

/** Signs for its own client_id alone, as access certificates do. */
const party = (clientId: string, more: Partial<RelyingParty> = {}): RelyingParty => ({
  signers: {
    currentClientId: () => clientId,
    signerOf(wanted) {
      if (wanted !== clientId) throw new RangeError('another certificate');
      return { ...localSigner(createPrivateKeyOf('P-256')), x5c: [clientId] };
    },
  },
  registrations: NO_REGISTRATIONS,
  clientMetadata: {},
  ...more,
});

function open() {
  const current: { parties: RelyingParties } = {
    parties: new Map([
      ['shop', party(SHOP, { clientMetadata: { client_name: 'Shop' } })],
      ['bank', party(BANK, { registrations: USES })],
    ]),
  };
  const relyingParties = () => current.parties;
  const stored: string[] = [];
  const running = runVerifier(world, {
    relyingParties,
    accepted: { redirectUri: { appSchemes: [], allowHttp: false }, callbackUrlFault: () => undefined, relyingParties },
    eventOf: ({ state, relyingParty }) => {
      stored.push(relyingParty ?? 'nobody');
      return { status: 'EXPIRED', state };
    },
  });
  const create = (more: JsonObject) =>
    running.verifier.createPresentationRequest({
      body: { dcql_query: { credentials: [pidQuery({ claims: [{ path: ['given_name'] }] })] }, ...more },
    });
  const fetched = async (state: string) => {
    const { requestObject } = await running.verifier.getRequestObject({ state, flowType: 'cross-device' });
    const { header, payload: _, ...rest } = parseCompactJws(requestObject);
    return { header, claims: jwsClaims({ header, payload: _, ...rest }) };
  };
  return { ...running, current, create, fetched, stored };
}

const faultsOf = async (made: Promise<unknown>) => {
  const error = await made.then(
    () => undefined,
    (reason: unknown) => reason as ApiError,
  );
  return error?.faults;
};

describe('18.6 requests in the name of a relying party', () => {
  it('EU:I1 have its identifier, its signature and what wallets are told about it', async () => {
    const { create, fetched } = open();
    const { state, cross_device_request_uri: uri } = await create({ relying_party: 'shop' });
    expect(new URL(uri).searchParams.get('client_id')).toBe(SHOP);
    const { header, claims } = await fetched(state);
    expect([header['x5c'], claims['client_id']]).toEqual([[SHOP], SHOP]);
    expect(claims['client_metadata']).toMatchObject({ client_name: 'Shop', jwks: { keys: [{ use: 'enc' }] } });
    const other = await fetched((await create({ relying_party: 'bank', intended_use: 'kyc' })).state);
    expect(other.claims['client_metadata']).not.toHaveProperty('client_name');
    const { claims: byDefault } = await fetched((await create({})).state);
    expect(byDefault['client_id']).not.toBe(SHOP);
  });

  it('EU:I1 are compared with its registrations alone', async () => {
    const { create, fetched } = open();
    const { state } = await create({ relying_party: 'bank', intended_use: 'kyc' });
    expect((await fetched(state)).claims['verifier_info']).toHaveLength(1);
    const more = { dcql_query: { credentials: [pidQuery()] } };
    expect(await faultsOf(create({ relying_party: 'bank', intended_use: 'kyc', ...more }))).toMatchObject([
      { path: 'dcql_query.credentials[0].claims[1]' },
    ]);
    expect(await faultsOf(create({ relying_party: 'shop', intended_use: 'kyc' }))).toMatchObject([
      { path: 'intended_use' },
    ]);
  });

  it('are refused for a name that is not configured, with those that are', async () => {
    const { create, current } = open();
    const path = 'relying_party';
    for (const name of ['Shop', 'toString', '__proto__', '_default'])
      expect(await faultsOf(create({ relying_party: name }))).toEqual([
        { path, message: 'must be one of "shop", "bank"' },
      ]);
    expect(await faultsOf(create({ relying_party: 7 }))).toMatchObject([{ path }]);
    current.parties = new Map();
    expect(await faultsOf(create({ relying_party: 'shop' }))).toMatchObject([
      { path, message: expect.stringContaining('RELYING_PARTIES_FILE') },
    ]);
  });

  it('EU:I1 cannot be fetched in another name after the files have changed', async () => {
    const { create, fetched, current } = open();
    const { state } = await create({ relying_party: 'shop' });
    current.parties = new Map([['bank', party(BANK)]]);
    await expect(fetched(state)).rejects.toEqual(failsWith('relying_party_removed'));
    current.parties = new Map([['shop', party(BANK)]]);
    await expect(fetched(state)).rejects.toThrow('another certificate');
  });

  it('EU:I3 are answered for themselves alone: the identifier of another party in the key binding fails', async () => {
    const { create, requestOf, verifier, endings, stored } = open();
    const [shop, bank, usual] = await Promise.all([
      create({ relying_party: 'shop' }),
      create({ relying_party: 'bank', intended_use: 'kyc' }),
      create({}),
    ]);
    const attempts = [
      [shop, SHOP],
      [bank, SHOP],
      [usual, BANK],
    ] as const;
    for (const [{ state }, audience] of attempts) {
      const request = requestOf(state);
      const form = await answerForm(world, { ...request, clientId: audience }, 'cross-device', {
        claims: { given_name: 'Erika' },
      });
      await verifier.submitPresentation({ state, form }).catch(() => undefined);
    }
    const codes = endings.map(({ status, checks }) => [status, checks.find(({ code }) => code)?.code]);
    expect(codes).toEqual([
      ['FULFILLED', undefined],
      ['VERIFICATION_FAILED', 'key_binding_audience'],
      ['VERIFICATION_FAILED', 'key_binding_audience'],
    ]);
    expect(new Set(stored)).toEqual(new Set(['shop', 'bank', 'nobody']));
  });
});
