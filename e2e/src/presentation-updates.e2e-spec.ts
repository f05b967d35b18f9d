import { joinStage, type SharedStage } from './stage';
import { createW3cIssuer, strangerVerifies } from './w3c-issuer';
import { createWalletApi, newTenantKey, ownerQuery, type OwnedWallet, type WalletApi } from './wallet-api';

type Members = Record<string, unknown>;
let stage: SharedStage;
let api: WalletApi;
let issuer: Awaited<ReturnType<typeof createW3cIssuer>>;
let owner: OwnedWallet;
let one: string;
let two: string;

beforeAll(async () => {
  stage = await joinStage();
  api = createWalletApi(stage.stack.baseUrl, stage.stack.files.secrets.apiKey);
  issuer = await createW3cIssuer();
  owner = await api.newWallet();
  one = await api.importCredential(owner, await issuer.issue({ name: 'one' }));
  two = await api.importCredential(owner, await issuer.issue({ name: 'two' }));
});
afterAll(() => stage?.stop());

const read = async (did: string) => (await api.get(`/vp/${did}?${ownerQuery(owner)}`)).body;
const patch = (did: string, body: unknown, headers: Record<string, string> = {}) =>
  api.call('PATCH', `/vp/${did}`, body, headers);
const outcome = ({ status, body }: { status: number; body: Members }) => [status, body['code']];
const credentialsIn = (body: Members) =>
  ((body['Body'] as Members)['verifiableCredential'] as Members[]).map(({ id }) => id);

describe('17.5 PATCH /vp/{PresentationDid}', () => {
  it('17.5 replaces the credentials of a draft, and keeps its labels, DID and older revisions', async () => {
    const made = await api.call('POST', `/vp?${ownerQuery(owner)}`, {
      CredentialDids: [one],
      MetaData: { Labels: { tier: 'gold' } },
    });
    const did = String(made.body['PresentationDid']);
    const changed = await patch(did, { CredentialDids: [two, one] });
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { PresentationDid: did, State: 'draft', Revision: 2, MetaData: { Labels: { tier: 'gold' } } },
    ]);
    expect(credentialsIn(changed.body)).toEqual([two, one]);
    expect(await read(did)).toEqual(changed.body);
    const first = await api.get(`/vp/${did}?${ownerQuery(owner)}&revision=1`);
    expect(credentialsIn(first.body)).toEqual([one]);
  });

  it('17.5 is a merge patch: null removes a label, and what is not named stays', async () => {
    const did = await api.newPresentation(owner, one);
    await patch(did, { MetaData: { Labels: { a: '1', b: '2' }, Annotations: { note: 'x' } } });
    const { body } = await patch(did, { MetaData: { Labels: { a: null, c: '3' } } });
    expect(body['MetaData']).toEqual({ Labels: { b: '2', c: '3' }, Annotations: { note: 'x' } });
    expect(credentialsIn(body)).toEqual([one]);
    expect((await patch(did, { MetaData: null })).body['MetaData']).toEqual({ Labels: {}, Annotations: {} });
  });

  it('W:3.9 17.5 may be repeated any number of times, and what is signed and presented is the latest', async () => {
    const did = await api.newPresentation(owner, one);
    for (const CredentialDids of [[two], [one, two], [two]]) {
      expect((await patch(did, { CredentialDids })).status).toBe(200);
    }
    const issued = await api.call('POST', `/vp/${did}/issue`, { Challenge: 'c' });
    expect([issued.body['Revision'], credentialsIn(issued.body)]).toEqual([5, [two]]);
    expect(await strangerVerifies(issued.body['Body'] as object, { challenge: 'c' })).toBe(true);
    const target = await api.newWallet();
    await api.call('POST', `/vp/${did}/present?${ownerQuery(target)}`);
    const { items } = await api.get(`/credentials?${ownerQuery(target)}`);
    expect(items.map((item) => item['CredentialDid'])).toEqual([two]);
  });

  it.each([
    ['issued', 'POST', '/issue'],
    ['abandoned', 'DELETE', ''],
  ])('W:3.10 W:3.11 17.5 an %s presentation cannot be updated', async (_state, method, operation) => {
    const did = await api.newPresentation(owner, one);
    await api.call(method, `/vp/${did}${operation}`);
    const before = await read(did);
    expect(outcome(await patch(did, { CredentialDids: [two] }))).toEqual([409, 'transition_forbidden']);
    expect(await read(did)).toEqual(before);
  });

  it.each([
    ['issue', 'POST', '/issue'],
    ['abandon', 'DELETE', ''],
  ])('17.5 honours If-Match to %s as well', async (_operation, method, path) => {
    const did = await api.newPresentation(owner, one);
    await patch(did, { CredentialDids: [two] });
    const change = (tag: string) => api.call(method, `/vp/${did}${path}`, undefined, { 'if-match': tag });
    const before = await read(did);
    expect(outcome(await change('"1"'))).toEqual([412, 'revision_mismatch']);
    expect(await read(did)).toEqual(before);
    expect((await change('"2"')).body['Revision']).toBe(3);
  });

  it.each(['Challenge', 'Domain'])('17.5 refuses a %s that others would read differently', async (name) => {
    const did = await api.newPresentation(owner, one);
    const refused = await api.call('POST', `/vp/${did}/issue`, { [name]: 'a\u0000' });
    expect([refused.status, refused.body['errors']]).toMatchObject([400, [{ path: name }]]);
    for (const text of ['\ud800', 'a\udc00b']) {
      expect(outcome(await api.call('POST', `/vp/${did}/issue`, { [name]: text }))).toEqual([400, 'invalid_json']);
    }
    const issued = await api.call('POST', `/vp/${did}/issue`, { Challenge: 'c', [name]: 'é😀' });
    expect(issued.body['Body']).toMatchObject({ proof: { [name.toLowerCase()]: 'é😀' } });
  });

  it('17.5 honours If-Match: only the revision that was read is changed', async () => {
    const did = await api.newPresentation(owner, one);
    const match = (tag: string) => patch(did, { CredentialDids: [two] }, { 'if-match': tag });
    expect((await match('"1"')).body['Revision']).toBe(2);
    expect(outcome(await match('"1"'))).toEqual([412, 'revision_mismatch']);
    expect((await match('2')).body['Revision']).toBe(3);
    expect((await match('*')).body['Revision']).toBe(4);
    expect(outcome(await match('W/"4"'))).toEqual([412, 'revision_mismatch']);
    expect(outcome(await match('"4", "5"'))).toEqual([400, 'invalid_request']);
  });

  it('17.5 of parallel updates of one revision exactly one wins', async () => {
    const did = await api.newPresentation(owner, one);
    const updates = [[one], [two], [one, two]].map((CredentialDids) =>
      patch(did, { CredentialDids }, { 'if-match': '"1"' }),
    );
    const statuses = (await Promise.all(updates)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 412, 412]);
  });

  it.each<[string, unknown, string[]]>([
    ['an unknown member', { CredentialDid: [] }, ['CredentialDid']],
    ['no credentials', { CredentialDids: [] }, ['CredentialDids']],
    ['credentials removed', { CredentialDids: null }, ['CredentialDids']],
    ['text for credentials', { CredentialDids: 'did:x:1' }, ['CredentialDids']],
    ['a label that is none', { MetaData: { Labels: { a: 'not valid' } } }, ['MetaData.Labels.a']],
    ['an array', [], ['body']],
  ])('17.5 refuses %s with its path', async (_what, body, paths) => {
    const did = await api.newPresentation(owner, one);
    const answer = await patch(did, body);
    const errors = answer.body['errors'] as { path: string }[];
    expect([...outcome(answer), errors.map(({ path }) => path)]).toEqual([400, 'invalid_request', paths]);
    expect(await read(did)).toMatchObject({ Revision: 1 });
  });

  it('17.5 a credential twice is refused, and one that is not in the wallet is not found', async () => {
    const did = await api.newPresentation(owner, one);
    expect(outcome(await patch(did, { CredentialDids: [one, one] }))).toEqual([400, 'invalid_request']);
    const elsewhere = await api.importCredential(await api.newWallet(), await issuer.issue({ name: 'there' }));
    const answer = await patch(did, { CredentialDids: [one, elsewhere] });
    expect([...outcome(answer), answer.body['errors']]).toMatchObject([
      404,
      'credential_not_found',
      [{ path: 'CredentialDids[1]' }],
    ]);
  });

  it('17.5 finds the draft in any wallet of the tenant, but in no other than the one that is named', async () => {
    const did = await api.newPresentation(owner, one);
    const there = ownerQuery(await api.newWallet());
    const body = { CredentialDids: [two] };
    expect(outcome(await api.call('PATCH', `/vp/${did}?${there}`, body))).toEqual([404, 'presentation_not_found']);
    expect((await api.call('PATCH', `/vp/${did}?${ownerQuery(owner)}`, body)).status).toBe(200);
    const stranger = createWalletApi(stage.stack.baseUrl, await newTenantKey(stage, 'patching'));
    expect(outcome(await stranger.call('PATCH', `/vp/${did}`, body))).toEqual([404, 'presentation_not_found']);
    expect(outcome(await patch('did:x:nothing', body))).toEqual([404, 'presentation_not_found']);
  });
});
