import { joinStage, type SharedStage } from './stage';
import { createWalletApi, ownerQuery, type OwnedWallet, type WalletApi } from './wallet-api';
import { createW3cIssuer } from './w3c-issuer';

type Mode = 'All' | 'Held' | 'Presented';

let stage: SharedStage;
let api: WalletApi;
let issuer: Awaited<ReturnType<typeof createW3cIssuer>>;
/** The wallet that presents, another one of the same entity, and one of another entity. */
let from: OwnedWallet;
let sibling: OwnedWallet;
let other: OwnedWallet;

/** What is presented, by its holder. */
const documents: Record<string, string> = {};
let presentation: string;

async function listed(path: 'credentials' | 'vp', wallet: OwnedWallet, queryMode: Mode): Promise<unknown[]> {
  const { items } = await api.get(`/${path}?${ownerQuery(wallet)}&queryMode=${queryMode}`);
  return items.map((item) => item[path === 'vp' ? 'PresentationDid' : 'CredentialDid']);
}

beforeAll(async () => {
  stage = await joinStage();
  api = createWalletApi(stage.stack.baseUrl, stage.stack.files.secrets.apiKey);
  issuer = await createW3cIssuer();
  from = await api.newWallet();
  sibling = await api.newWallet(from.entityDid);
  other = await api.newWallet();
  const holders: Record<string, object> = {
    nobody: {},
    presenter: { id: from.entityDid },
    receiver: { id: other.entityDid },
    stranger: { id: issuer.did },
  };
  for (const [holder, id] of Object.entries(holders)) {
    documents[holder] = await api.importCredential(from, await issuer.issue({ ...id, name: holder }));
  }
  presentation = await api.newPresentation(from, ...Object.values(documents));
  await api.call('POST', `/vp/${presentation}/issue`);
  for (const wallet of [sibling, other]) {
    const presented = await api.call('POST', `/vp/${presentation}/present?${ownerQuery(wallet)}`);
    expect(presented.status).toBe(201);
  }
});
afterAll(() => stage?.stop());

describe('17.3 who holds a document', () => {
  it.each<[string, string, Mode, () => OwnedWallet]>([
    ['the wallet that it was imported into', 'nobody', 'Held', () => from],
    ['the wallet that it was imported into', 'presenter', 'Held', () => from],
    ['the wallet that it was imported into', 'receiver', 'Presented', () => from],
    ['the wallet that it was imported into', 'stranger', 'Presented', () => from],
    ['a wallet of another entity, presented to it', 'nobody', 'Presented', () => other],
    ['a wallet of another entity, presented to it', 'presenter', 'Presented', () => other],
    ['a wallet of another entity, presented to it', 'receiver', 'Held', () => other],
    ['a wallet of another entity, presented to it', 'stranger', 'Presented', () => other],
    ['another wallet of the same entity, presented to it', 'nobody', 'Presented', () => sibling],
    ['another wallet of the same entity, presented to it', 'presenter', 'Held', () => sibling],
    ['another wallet of the same entity, presented to it', 'receiver', 'Presented', () => sibling],
    ['another wallet of the same entity, presented to it', 'stranger', 'Presented', () => sibling],
  ])('W:4.17 W:4.18 17.3 in %s, the credential whose holder is %s: %s', async (_where, holder, mode, wallet) => {
    for (const asked of ['Held', 'Presented'] as const) {
      const isListed = (await listed('credentials', wallet(), asked)).includes(documents[holder]);
      expect([holder, asked, isListed]).toEqual([holder, asked, asked === mode]);
    }
    expect(await listed('credentials', wallet(), 'All')).toContain(documents[holder]);
  });

  it('W:4.12 17.3 a presentation is held where its holder owns the wallet, and presented elsewhere', async () => {
    for (const [wallet, mode, never] of [
      [from, 'Held', 'Presented'],
      [sibling, 'Held', 'Presented'],
      [other, 'Presented', 'Held'],
    ] as const) {
      expect(await listed('vp', wallet, mode)).toContain(presentation);
      expect(await listed('vp', wallet, never)).not.toContain(presentation);
      const read = (queryMode: Mode) => api.get(`/vp/${presentation}?${ownerQuery(wallet)}&queryMode=${queryMode}`);
      expect([(await read(mode)).status, (await read(never)).status]).toEqual([200, 404]);
    }
  });

  it('17.3 a document without a holder stays presented when its receiver presents it again', async () => {
    const third = await api.newWallet();
    const again = await api.newPresentation(other, String(documents['nobody']));
    await api.call('POST', `/vp/${again}/issue`);
    expect((await api.call('POST', `/vp/${again}/present?${ownerQuery(third)}`)).status).toBe(201);
    expect(await listed('credentials', third, 'Presented')).toEqual([documents['nobody']]);
    expect(await listed('credentials', third, 'Held')).toEqual([]);
  });

  it('5.5 nothing is presented to a wallet that has another credential with the same DID', async () => {
    const wallet = await api.newWallet();
    const id = 'did:example:taken';
    const given = await api.importCredential(from, await issuer.issue({ name: 'one' }, { id }));
    const taken = await issuer.issue({ name: 'two' }, { id });
    await api.importCredential(wallet, taken);
    const again = await api.newPresentation(from, given);
    await api.call('POST', `/vp/${again}/issue`);
    const refused = await api.call('POST', `/vp/${again}/present?${ownerQuery(wallet)}`);
    expect([refused.status, refused.body['code']]).toEqual([409, 'credential_exists']);
    expect(await listed('vp', wallet, 'All')).toEqual([]);
    expect((await api.get(`/credential/${id}?${ownerQuery(wallet)}`)).body['Body']).toEqual(taken);
  });

  it('17.3 a document without a holder that a wallet already held stays held when it is presented to it', async () => {
    const wallet = await api.newWallet();
    const credential = await issuer.issue({ name: 'both' });
    const did = await api.importCredential(wallet, credential);
    await api.importCredential(from, credential);
    const again = await api.newPresentation(from, did);
    await api.call('POST', `/vp/${again}/issue`);
    expect((await api.call('POST', `/vp/${again}/present?${ownerQuery(wallet)}`)).status).toBe(201);
    expect(await listed('credentials', wallet, 'Held')).toEqual([did]);
  });
});
