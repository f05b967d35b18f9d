import { credentialView, presentationView } from '@vestibule/contracts';
import { openWalletStore, type Tenant, type WalletStoreStage } from './testing/wallet-store.fixture-spec';

const code = (expected: string) => expect.objectContaining({ code: expected });
const MARKER = 'canary-claim-value';
let stage: WalletStoreStage;
let tenant: Tenant;
let foreign: Tenant;

beforeAll(async () => {
  stage = await openWalletStore();
  [tenant, foreign] = [await stage.newTenant(), await stage.newTenant()];
  const { owner } = tenant;
  await stage.insert('credential', owner, { did: 'did:x:held', holderDid: owner.entityDid, issuerDid: 'did:x:issuer' });
  await stage.insert('credential', owner, { did: 'did:x:bearer', state: 'abandoned' });
  await stage.insert('credential', owner, { did: 'did:x:presented', holderDid: foreign.owner.entityDid });
  await stage.insert('credential', owner, {
    did: 'did:x:revised',
    revision: 1,
    latest: false,
    state: 'draft',
    body: { v: 1 },
  });
  await stage.insert('credential', owner, { did: 'did:x:revised', revision: 2, body: { v: 2, claim: MARKER } });
  await stage.insert('credential', foreign.owner, { did: 'did:x:foreign' });
  await stage.insert('presentation', owner, { did: 'did:x:vp-held', holderDid: owner.entityDid, state: 'draft' });
  await stage.insert('presentation', owner, { did: 'did:x:vp-presented', holderDid: foreign.owner.entityDid });
  await stage.insert('presentation', foreign.owner, { did: 'did:x:vp-foreign' });
});
afterAll(() => stage.close());

type ListInput = Parameters<WalletStoreStage['store']['listCredentials']>[0];

async function listed(change: Partial<ListInput> = {}) {
  const { apiKeyDigest, owner } = tenant;
  const input: ListInput = { apiKeyDigest, ...owner, queryMode: 'All', getBodies: false, limit: 100, ...change };
  return (await stage.store.listCredentials(input)).items;
}
const didsOf = async (change: Partial<ListInput> = {}) =>
  (await listed(change)).map(({ CredentialDid }) => CredentialDid.slice('did:x:'.length)).sort();

describe('lists of credentials', () => {
  it('hold the latest revision of each, in the shape of the contract', async () => {
    const items = await listed();
    expect(await didsOf()).toEqual(['bearer', 'held', 'presented', 'revised']);
    for (const item of items) credentialView.strict().parse(item);
    expect(items.find(({ CredentialDid }) => CredentialDid === 'did:x:revised')).toMatchObject({
      Revision: 2,
      State: 'issued',
    });
    expect(items.find(({ CredentialDid }) => CredentialDid === 'did:x:held')).toEqual({
      CredentialDid: 'did:x:held',
      IssuerDid: 'did:x:issuer',
      State: 'issued',
      EntityDid: tenant.owner.entityDid,
      WalletDid: tenant.owner.walletDid,
      HolderDid: tenant.owner.entityDid,
      Types: ['VerifiableCredential'],
      Created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      Updated: expect.stringMatching(/Z$/),
      Revision: 1,
      MetaData: { Labels: {}, Annotations: {} },
    });
  });

  it.each<['All' | 'Held' | 'Presented', string[]]>([
    ['All', ['bearer', 'held', 'presented', 'revised']],
    ['Held', ['bearer', 'held', 'revised']],
    ['Presented', ['presented']],
  ])('of queryMode %s hold %j', async (queryMode, expected) => {
    expect(await didsOf({ queryMode })).toEqual(expected);
  });

  it.each<['draft' | 'issued' | 'abandoned', string[]]>([
    ['draft', []],
    ['issued', ['held', 'presented', 'revised']],
    ['abandoned', ['bearer']],
  ])('of state %s hold %j, judged by the latest revision', async (state, expected) => {
    expect(await didsOf({ state })).toEqual(expected);
    expect(await didsOf({ state, queryMode: 'Presented' })).toEqual(expected.filter((did) => did === 'presented'));
  });

  it('carry bodies only when they are asked for', async () => {
    expect((await listed()).filter((item) => 'Body' in item)).toEqual([]);
    const bodies = (await listed({ getBodies: true })).map(({ CredentialDid, Body }) => [CredentialDid, Body]);
    expect(bodies).toContainEqual(['did:x:revised', { v: 2, claim: MARKER }]);
    expect(bodies).toContainEqual(['did:x:held', { id: 'did:x:held' }]);
  });
});

describe('single reads', () => {
  const get = (credentialDid: string, revision?: number, who = tenant) =>
    stage.store.getCredential({ apiKeyDigest: who.apiKeyDigest, ...tenant.owner, credentialDid, revision });

  it('give the latest revision with its body, or the one that is asked for', async () => {
    expect(await get('did:x:revised')).toMatchObject({ Revision: 2, State: 'issued', Body: { v: 2, claim: MARKER } });
    expect(await get('did:x:revised', 1)).toMatchObject({ Revision: 1, State: 'draft', Body: { v: 1 } });
    await expect(get('did:x:revised', 3)).rejects.toThrow(code('credential_not_found'));
  });

  it('of presentations obey queryMode', async () => {
    const read = (presentationDid: string, queryMode: 'All' | 'Held' | 'Presented') =>
      stage.store.getPresentation({ apiKeyDigest: tenant.apiKeyDigest, ...tenant.owner, presentationDid, queryMode });
    presentationView.strict().parse(await read('did:x:vp-held', 'All'));
    await expect(read('did:x:vp-held', 'Held')).resolves.toMatchObject({ State: 'draft' });
    await expect(read('did:x:vp-held', 'Presented')).rejects.toThrow(code('presentation_not_found'));
    await expect(read('did:x:vp-presented', 'Presented')).resolves.toBeDefined();
    const { items } = await stage.store.listPresentations({
      apiKeyDigest: tenant.apiKeyDigest,
      ...tenant.owner,
      queryMode: 'All',
      getBodies: false,
      limit: 10,
    });
    expect(items.map(({ PresentationDid }) => PresentationDid).sort()).toEqual(['did:x:vp-held', 'did:x:vp-presented']);
  });

  it('of credentials and presentations do not answer each other', async () => {
    await expect(get('did:x:vp-held')).rejects.toThrow(code('credential_not_found'));
  });

  it.each([
    ['wallet', 'did:x:moved', 1],
    ['credential', 'did:x:another', 1],
    ['revision', 'did:x:moved', 2],
  ])('a body that was moved from another %s does not open', async (what, did, revision) => {
    const from = what === 'wallet' ? foreign.owner : tenant.owner;
    await stage.insert('credential', tenant.owner, { did: 'did:x:moved' });
    await stage.insert('credential', from, { did, revision, latest: revision === 1 });
    await expect(get('did:x:moved', 1)).resolves.toBeDefined();
    await stage.outside(
      `UPDATE wallet_store.credential SET body = (
         SELECT body FROM wallet_store.credential WHERE did = $1 AND revision = $2 AND wallet_did = $3)
       WHERE did = 'did:x:moved' AND revision = 1 AND wallet_did = $4`,
      [did, revision, from.walletDid, tenant.owner.walletDid],
    );
    await expect(get('did:x:moved', 1)).rejects.toThrow(code('seal_broken'));
    await stage.outside(`DELETE FROM wallet_store.credential WHERE did IN ('did:x:moved', 'did:x:another')`);
  });
});

describe('tenants', () => {
  const failure = (call: Promise<unknown>) =>
    call.then(
      () => 'an answer',
      (error: unknown) => error,
    );

  it('cannot tell a foreign credential from one that does not exist', async () => {
    const get = (credentialDid: string) =>
      failure(stage.store.getCredential({ apiKeyDigest: tenant.apiKeyDigest, ...tenant.owner, credentialDid }));
    const [foreignOne, unknown] = [await get('did:x:foreign'), await get('did:x:unknown')];
    expect(foreignOne).toEqual(code('credential_not_found'));
    expect(foreignOne).toEqual(unknown);
  });

  it('cannot tell a foreign wallet or entity from one that does not exist, in no combination', async () => {
    const entities = [foreign.owner.entityDid, 'did:x:unknown', tenant.owner.entityDid];
    const wallets = [foreign.owner.walletDid, 'did:x:unknown', tenant.owner.walletDid];
    const owners = entities.flatMap((entityDid) => wallets.map((walletDid) => ({ entityDid, walletDid }))).slice(0, -1);
    expect(owners).toHaveLength(8);
    const { apiKeyDigest } = tenant;
    const failures = await Promise.all(
      owners.flatMap((owner) => {
        const list = { apiKeyDigest, ...owner, queryMode: 'All' as const, getBodies: true, limit: 10 };
        return [
          failure(stage.store.listCredentials(list)),
          failure(stage.store.listPresentations(list)),
          failure(stage.store.getCredential({ apiKeyDigest, ...owner, credentialDid: 'did:x:foreign' })),
          failure(
            stage.store.getPresentation({
              apiKeyDigest,
              ...owner,
              presentationDid: 'did:x:vp-foreign',
              queryMode: 'All',
            }),
          ),
        ];
      }),
    );
    expect(failures[0]).toEqual(code('wallet_not_found'));
    for (const one of failures) expect(one).toEqual(failures[0]);
  });

  it('leave no claim in clear in the tables', async () => {
    const [row] = await stage.outside<{ dump: string }>(
      `SELECT string_agg(encode(body, 'escape') || t::text, '') AS dump FROM wallet_store.credential t`,
    );
    expect(row?.dump).toContain('did:x:revised');
    expect(row?.dump).not.toContain(MARKER);
    expect(row?.dump).not.toContain(Buffer.from(MARKER).toString('hex'));
  });
});
