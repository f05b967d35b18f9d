import { joinStage, type SharedStage } from './stage';
import { createWalletApi, ownerQuery, type OwnedWallet, type WalletApi } from './wallet-api';
import { createW3cIssuer, strangerVerifies } from './w3c-issuer';

type Members = Record<string, unknown>;
let stage: SharedStage;
let api: WalletApi;
let issuer: Awaited<ReturnType<typeof createW3cIssuer>>;
let owner: OwnedWallet;

beforeAll(async () => {
  stage = await joinStage();
  api = createWalletApi(stage.stack.baseUrl, stage.stack.files.secrets.apiKey);
  issuer = await createW3cIssuer();
  owner = await api.newWallet();
});
afterAll(() => stage?.stop());

const didsOf = (items: readonly Members[], name = 'CredentialDid') => items.map((item) => item[name]);
const held = (name: string) => issuer.issue({ id: owner.entityDid, name });

describe('POST /entity and POST /wallet', () => {
  it('W:1.5 W:1.6 W:1.7 one entity can own several wallets; both are identified by DIDs', async () => {
    const second = await api.newWallet(owner.entityDid);
    expect(second.entityDid).toBe(owner.entityDid);
    expect(second.walletDid).not.toBe(owner.walletDid);
    for (const did of [owner.entityDid, owner.walletDid]) expect(did).toMatch(/^did:key:zDna/);
  });
});

describe('POST /credentials', () => {
  it('W:1.3 W:1.8 W:1.9 imports an issued credential after verifying it, with its labels', async () => {
    const credential = await held('Ada');
    const labels = { tier: 'gold' };
    const { status, body } = await api.call('POST', `/credentials?${ownerQuery(owner)}`, {
      Body: credential,
      MetaData: { Labels: labels, Annotations: { 'example.org/note': 'first' } },
    });
    expect([status, body]).toEqual([
      201,
      {
        CredentialDid: credential['id'],
        State: 'issued',
        ...{ EntityDid: owner.entityDid, WalletDid: owner.walletDid, HolderDid: owner.entityDid },
        IssuerDid: issuer.did,
        Types: ['VerifiableCredential', 'CityCard'],
        Created: expect.stringMatching(/Z$/),
        Updated: expect.stringMatching(/Z$/),
        Revision: 1,
        MetaData: { Labels: labels, Annotations: { 'example.org/note': 'first' } },
        Body: credential,
      },
    ]);
    const read = await api.get(`/credential/${String(credential['id'])}?${ownerQuery(owner)}`);
    expect([read.status, read.body]).toEqual([200, body]);
  });

  it.each<[string, string, (credential: Members) => Members]>([
    [
      'vc_proof_invalid',
      'a changed claim',
      (c) => ({ ...c, credentialSubject: { id: owner.entityDid, name: 'Mallory' } }),
    ],
    ['vc_proof_unsupported', 'no proof', ({ proof: _proof, ...rest }) => rest],
    ['vc_malformed', 'no issuer', ({ issuer: _issuer, ...rest }) => rest],
    [
      'vc_version_unsupported',
      'another version',
      (c) => ({ ...c, '@context': ['https://www.w3.org/2018/credentials/v1'] }),
    ],
  ])('refuses with %s a credential with %s', async (code, _what, change) => {
    const answer = await api.call('POST', `/credentials?${ownerQuery(owner)}`, { Body: change(await held('Eve')) });
    expect([answer.status, answer.body['code']]).toEqual([400, code]);
  });

  it('refuses an expired credential, and one with a context that is not known, which it names', async () => {
    const expired = await issuer.issue({ name: 'Ada' }, { validUntil: '2020-01-01T00:00:00Z' });
    const path = `/credentials?${ownerQuery(owner)}`;
    expect((await api.call('POST', path, { Body: expired })).body['code']).toBe('vc_expired');
    const url = 'https://contexts.example/unknown';
    const credential = await held('Ada');
    const foreign = { ...credential, '@context': [...(credential['@context'] as unknown[]), url] };
    const { body } = await api.call('POST', path, { Body: foreign });
    expect([body['code'], body['detail']]).toEqual(['vc_context_unknown', expect.stringContaining(url)]);
  });

  it('takes a credential once into a wallet, and is repeatable with an Idempotency-Key', async () => {
    const path = `/credentials?${ownerQuery(owner)}`;
    const [credential, key] = [await held('Once'), { 'idempotency-key': 'k'.repeat(32) }];
    const first = await api.call('POST', path, { Body: credential }, key);
    const again = await api.call('POST', path, { Body: credential }, key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    const other = await api.call('POST', path, { Body: await held('Other') }, key);
    expect([other.status, other.body['code']]).toEqual([409, 'idempotency_conflict']);
    const twice = await api.call('POST', path, { Body: credential });
    expect([twice.status, twice.body['code']]).toEqual([409, 'credential_exists']);
  });

  it('names every fault of a body, and what was probably meant', async () => {
    const { status, body } = await api.call('POST', `/credentials?${ownerQuery(owner)}`, {
      body: {},
      MetaData: { Labels: { 'a b': 'x', tier: 'not valid' } },
    });
    const errors = body['errors'] as { path: string }[];
    expect([status, body['code']]).toEqual([400, 'invalid_request']);
    expect(errors.map((one) => one.path).sort()).toEqual([
      'Body',
      'MetaData.Labels.a b',
      'MetaData.Labels.tier',
      'body',
    ]);
  });

  it('without a wallet uses the default wallet of the tenant, made once', async () => {
    const credentials = await Promise.all(['A', 'B', 'C', 'D'].map((name) => issuer.issue({ name })));
    const answers = await Promise.all(credentials.map((Body) => api.call('POST', '/credentials', { Body })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body['WalletDid'])).size).toBe(1);
    const half = await api.call('POST', `/credentials?entityDid=${owner.entityDid}`, { Body: await held('X') });
    expect([half.status, half.body['errors']]).toMatchObject([400, [{ path: 'walletDid' }]]);
  });
});

describe('GET /credentials', () => {
  let wallet: OwnedWallet;
  const list = async (query = '') => didsOf((await api.get(`/credentials?${ownerQuery(wallet)}${query}`)).items);
  let dids: string[];
  beforeAll(async () => {
    wallet = await api.newWallet();
    const credentials = [
      await issuer.issue({ id: wallet.entityDid, name: 'one' }),
      await issuer.issue({ id: owner.entityDid, name: 'two' }),
      await issuer.issue({ name: 'three' }),
    ];
    const labels: Record<string, string>[] = [{ tier: 'gold' }, { tier: 'silver', eu: '' }, {}];
    dids = [];
    for (const [index, credential] of credentials.entries()) {
      dids.push(await api.importCredential(wallet, credential, labels[index]));
    }
  });

  it('W:1.10 W:2.5 W:2.6 W:4.9 gives descriptors by default, and the content with getBodies', async () => {
    const { items } = await api.get(`/credentials?${ownerQuery(wallet)}`);
    expect(didsOf(items)).toEqual(dids);
    expect(items.filter((item) => 'Body' in item)).toEqual([]);
    const bodies = await api.get(`/credentials?${ownerQuery(wallet)}&getBodies=true`);
    expect(bodies.items.map((item) => (item['Body'] as Members)['id'])).toEqual(dids);
  });

  it.each([
    ['', [0, 1, 2]],
    ['&queryMode=All', [0, 1, 2]],
    ['&queryMode=Held', [0, 2]],
    ['&queryMode=Presented', [1]],
    ['&state=issued', [0, 1, 2]],
    ['&state=ISSUED', [0, 1, 2]],
    ['&state=draft', []],
    ['&state=abandoned', []],
    ['&labelSelector=tier%3Dgold', [0]],
    ['&labelSelector=tier', [0, 1]],
    ['&labelSelector=!tier', [2]],
    ['&labelSelector=tier%20in%20(gold,silver),eu', [1]],
    ['&labelSelector=tier%20notin%20(gold)', [1, 2]],
    ['&labelSelector=tier!%3Dsilver', [0, 2]],
    ['&labelSelector=eu%3D', [1]],
    ['&labelSelector=tier%3Dsilver,eu%3D,tier', [1]],
    ['&labelSelector=tier%3Dsilver,tier%3Dgold', []],
    ['&labelSelector=tier%3Dgold&queryMode=Presented', []],
  ])('W:1.11 W:4.8 W:4.16 W:4.17 W:4.18 filters with "%s"', async (query, expected) => {
    expect(await list(query)).toEqual(expected.map((index) => dids[index]));
  });

  it('pages with limit and cursor: the Link header leads through all of them', async () => {
    const seen: unknown[] = [];
    let next: string | undefined = `credentials?${ownerQuery(wallet)}&limit=2`;
    for (let pages = 0; next !== undefined && pages < 5; pages += 1) {
      const { items, headers } = await api.get(`/${next}`);
      seen.push(...didsOf(items));
      next = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(dids);
  });

  it.each(['labelSelector=a%3Db%3Dc', 'cursor=x', 'limit=1001', 'state=signed', 'queryMode=owned'])(
    'refuses %s with its path',
    async (query) => {
      const { status, body } = await api.get(`/credentials?${ownerQuery(wallet)}&${query}`);
      expect([status, body['errors']]).toMatchObject([400, [{ path: query.split('=')[0] }]]);
    },
  );
});

describe('presentations', () => {
  const binding = { challenge: 'a-challenge', domain: 'https://verifier.example' };
  const issue = (did: string) =>
    api.call('POST', `/vp/${did}/issue`, { Challenge: binding.challenge, Domain: binding.domain });
  const code = ({ status, body }: { status: number; body: Members }) => [status, body['code']];

  it('W:1.4 W:1.8 W:1.9 W:4.11 W:4.12 POST /vp makes a draft without a proof; POST /vp/{did}/issue signs it for challenge and domain', async () => {
    const credential = await api.importCredential(owner, await held('Vera'));
    const did = await api.newPresentation(owner, credential);
    const draft = await api.get(`/vp/${did}?${ownerQuery(owner)}`);
    expect(draft.body).toMatchObject({ PresentationDid: did, State: 'draft', Revision: 1, HolderDid: owner.entityDid });
    expect(draft.body['Body']).not.toHaveProperty('proof');
    const issued = await issue(did);
    expect([issued.status, issued.body]).toMatchObject([200, { State: 'issued', Revision: 2 }]);
    const presentation = issued.body['Body'] as object;
    expect(await strangerVerifies(presentation, binding)).toBe(true);
    expect(await strangerVerifies(presentation, { ...binding, challenge: 'another' })).toBe(false);
    const latest = await api.get(`/vp/${did}?${ownerQuery(owner)}&queryMode=Held`);
    expect(latest.body).toEqual(issued.body);
    expect((await api.get(`/vp/${did}?${ownerQuery(owner)}&revision=1`)).body).toEqual(draft.body);
  });

  it('W:4.12 POST /vp/{did}/present puts it and its credentials into another wallet, where they are Presented', async () => {
    const credential = await api.importCredential(owner, await held('Paul'), { kind: 'card' });
    const did = await api.newPresentation(owner, credential);
    const target = await api.newWallet();
    const present = () => api.call('POST', `/vp/${did}/present?${ownerQuery(target)}`);
    expect(code(await present())).toEqual([409, 'transition_forbidden']);
    const issued = await issue(did);
    const presented = await present();
    expect([presented.status, presented.body]).toMatchObject([201, { WalletDid: target.walletDid, State: 'issued' }]);
    expect(presented.body['Body']).toEqual(issued.body['Body']);
    expect((await present()).body).toEqual(presented.body);
    const there = ownerQuery(target);
    expect(didsOf((await api.get(`/credentials?${there}&queryMode=Presented`)).items)).toEqual([credential]);
    expect(didsOf((await api.get(`/credentials?${there}&queryMode=Held`)).items)).toEqual([]);
    expect(didsOf((await api.get(`/vp?${there}&queryMode=Presented`)).items, 'PresentationDid')).toEqual([did]);
    expect((await api.get(`/vp/${did}?${there}&queryMode=Presented`)).body).toMatchObject({ PresentationDid: did });
    expect(code(await api.get(`/vp/${did}?${there}&queryMode=Held`))).toEqual([404, 'presentation_not_found']);
    const same = await api.call('POST', `/vp/${did}/present?${ownerQuery(owner)}`);
    expect([same.status, same.body['errors']]).toMatchObject([400, [{ path: 'walletDid' }]]);
  });

  it('W:3.11 DELETE /vp/{did} abandons a draft: it is marked as deleted and stays readable', async () => {
    const did = await api.newPresentation(owner, await api.importCredential(owner, await held('Abe')));
    const abandoned = await api.call('DELETE', `/vp/${did}?${ownerQuery(owner)}`);
    expect([abandoned.status, abandoned.body]).toMatchObject([200, { State: 'abandoned', Revision: 2 }]);
    expect((await api.get(`/vp/${did}?${ownerQuery(owner)}`)).body).toMatchObject({ State: 'abandoned' });
    const listed = await api.get(`/vp?${ownerQuery(owner)}&state=Abandoned`);
    expect(didsOf(listed.items, 'PresentationDid')).toContain(did);
  });

  describe.each(['draft', 'issued', 'abandoned'] as const)('in state %s', (state) => {
    const inState = async () => {
      const did = await api.newPresentation(owner, await api.importCredential(owner, await held(state)));
      if (state === 'issued') await issue(did);
      if (state === 'abandoned') await api.call('DELETE', `/vp/${did}`);
      return did;
    };
    it.each<[string, string, string[]]>([
      ['POST', 'issue', ['draft']],
      ['DELETE', '', ['draft']],
      ['POST', 'present', ['issued']],
    ])('W:3.10 W:3.11 %s %s follows the table of states', async (method, operation, from) => {
      const did = await inState();
      const query = operation === 'present' ? `?${ownerQuery(await api.newWallet())}` : '';
      const before = (await api.get(`/vp/${did}?${ownerQuery(owner)}`)).body;
      const answer = await api.call(method, `/vp/${did}${operation && `/${operation}`}${query}`);
      if (from.includes(state)) return expect(answer.status).toBeLessThan(300);
      expect(code(answer)).toEqual([409, 'transition_forbidden']);
      expect((await api.get(`/vp/${did}?${ownerQuery(owner)}`)).body).toEqual(before);
    });
  });

  it('are changed in the wallet that is named, or in whichever they are', async () => {
    const did = await api.newPresentation(owner, await api.importCredential(owner, await held('Where')));
    const elsewhere = ownerQuery(await api.newWallet());
    expect(code(await api.call('POST', `/vp/${did}/issue?${elsewhere}`))).toEqual([404, 'presentation_not_found']);
    expect(code(await api.call('DELETE', `/vp/${did}?${elsewhere}`))).toEqual([404, 'presentation_not_found']);
    expect((await api.call('POST', `/vp/${did}/issue?${ownerQuery(owner)}`)).status).toBe(200);
  });

  it('are made of credentials that are in the wallet', async () => {
    const other = await api.newWallet();
    const credential = await api.importCredential(other, await issuer.issue({ name: 'there' }));
    const answer = await api.call('POST', `/vp?${ownerQuery(owner)}`, { CredentialDids: [credential] });
    expect([answer.status, answer.body]).toMatchObject([
      404,
      { code: 'credential_not_found', errors: [{ path: 'CredentialDids[0]' }] },
    ]);
  });

  it('of two parallel changes of one draft exactly one wins', async () => {
    const did = await api.newPresentation(owner, await api.importCredential(owner, await held('Race')));
    const answers = await Promise.all([issue(did), issue(did), issue(did), api.call('DELETE', `/vp/${did}`)]);
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const lost of answers.filter(({ status }) => status !== 200)) {
      expect(lost.status).toBe(409);
      expect(['concurrent_change', 'transition_forbidden']).toContain(lost.body['code']);
    }
    const { body } = await api.get(`/vp/${did}?${ownerQuery(owner)}`);
    expect(body).toMatchObject({ Revision: 2, State: won[0]?.body['State'] });
  });
});
