import { createHash } from 'node:crypto';
import { startGateway, type Gateway, type Got, type Sent } from '../testing/gateway.stage';

const record = {
  Created: '2026-03-01T12:00:00.000Z',
  Updated: '2026-03-01T12:00:00.000Z',
  Revision: 1,
  MetaData: { Labels: {}, Annotations: {} },
};
const content = { State: 'issued', EntityDid: 'did:x:e', WalletDid: 'did:x:w', Types: ['A'], ...record };
const CREDENTIAL = { CredentialDid: 'did:x:c', ...content };
const PRESENTATION = { PresentationDid: 'did:x:p', ...content };
const ENTITY = { EntityDid: 'did:x:e', ...record };
const WALLET = { WalletDid: 'did:x:w', EntityDid: 'did:x:e', ...record };
const walletPage: { items: object[]; nextCursor?: string } = { items: [WALLET] };
const page: { items: object[]; nextCursor?: string } = { items: [CREDENTIAL] };

const KEY = 'an-api-key-of-a-tenant';
const apiKeyDigest = createHash('sha256').update(KEY).digest('base64url');
const OWNER = 'entityDid=did:x:e&walletDid=did:x:w';
const owner = { entityDid: 'did:x:e', walletDid: 'did:x:w' };

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    answers: {
      'wallet-store.entity.create': ENTITY,
      'wallet-store.wallet.create': WALLET,
      'wallet-store.entity.list': { items: [ENTITY], nextCursor: 'next' },
      'wallet-store.wallet.list': () => walletPage,
      'wallet-store.credential.get': { ...CREDENTIAL, Body: { id: 'did:x:c' } },
      'wallet-store.credential.list': () => page,
      'wallet-store.presentation.get': PRESENTATION,
      'wallet-store.presentation.list': { items: [PRESENTATION] },
    },
  });
});
afterAll(() => gateway.close());

describe.each(['management', 'public'] as const)('the wallet content API on the %s listener', (listener) => {
  const call = (path: string, sent: Sent = {}): Promise<Got> => {
    const full = `/api/wallet/v1${path}`;
    return listener === 'public' ? gateway.toPublic(full, sent) : gateway.toManagement(full, sent);
  };
  const get = (path: string) => call(path, { headers: [['x-api-key', KEY]] });
  const post = (path: string, ...headers: (readonly [string, string])[]) =>
    call(path, { method: 'POST', headers: [['x-api-key', KEY], ...headers] });

  it('makes entities and wallets with 201, whatever body comes along', async () => {
    const entity = await post('/entity', ['content-type', 'application/json']);
    expect([entity.status, entity.json, entity.headers['cache-control']]).toEqual([201, ENTITY, 'no-store']);
    expect(gateway.questionOf('wallet-store.entity.create')).toEqual({ apiKeyDigest });
    const wallet = await post('/wallet?entityDid=did%3Ax%3Ae', ['idempotency-key', 'k'.repeat(32)]);
    expect([wallet.status, wallet.json]).toEqual([201, WALLET]);
    const asked = { apiKeyDigest, entityDid: 'did:x:e', idempotencyKey: 'k'.repeat(32) };
    expect(gateway.questionOf('wallet-store.wallet.create')).toEqual(asked);
  });

  it('sends the digest of the key over the bus, never the key', async () => {
    await post('/entity');
    expect(JSON.stringify(gateway.asked)).not.toContain(KEY);
    expect(gateway.lines.join('')).not.toContain(KEY);
  });

  it.each<[string, Sent]>([
    ['no key', { method: 'POST' }],
    ['an empty key', { method: 'POST', headers: [['x-api-key', '']] }],
    [
      'two keys',
      {
        method: 'POST',
        headers: [
          ['x-api-key', KEY],
          ['X-Api-Key', KEY],
        ],
      },
    ],
    ['a key of 513 characters', { method: 'POST', headers: [['x-api-key', 'k'.repeat(513)]] }],
    ['a bearer token', { method: 'POST', headers: [['authorization', `Bearer ${KEY}`]] }],
  ])('refuses %s with 401 and a challenge, without asking', async (_what, sent) => {
    const before = gateway.asked.length;
    const { status, headers, json } = await call('/entity', sent);
    expect([status, json['code']]).toEqual([401, 'api_key_missing']);
    expect(headers['www-authenticate']).toBe('ApiKey header="X-API-KEY"');
    expect(gateway.asked).toHaveLength(before);
  });

  it('17.14 lists entities, and wallets of all entities or of one, with a link to the next page', async () => {
    const entities = await get('/entities');
    expect([entities.status, entities.text]).toEqual([200, JSON.stringify([ENTITY])]);
    expect(entities.headers['link']).toBe('<entities?cursor=entities.next>; rel="next"');
    expect(gateway.questionOf('wallet-store.entity.list')).toEqual({ apiKeyDigest, limit: 100 });
    const wallets = await get('/wallets?entityDid=did:x:e&limit=2&cursor=wallets.c');
    expect([wallets.status, wallets.text, wallets.headers['link']]).toEqual([200, JSON.stringify([WALLET]), undefined]);
    const asked = { apiKeyDigest, entityDid: 'did:x:e', limit: 2, cursor: 'c' };
    expect(gateway.questionOf('wallet-store.wallet.list')).toEqual(asked);
    await get('/wallets');
    expect(gateway.questionOf('wallet-store.wallet.list')).toEqual({ apiKeyDigest, limit: 100 });
  });

  it('reads one credential, of which the DID may be percent-encoded', async () => {
    for (const did of ['did:web:host%253A8080', 'did%3Aweb%3Ahost%253A8080']) {
      const { status, json } = await get(`/credential/${did}?${OWNER}&revision=3`);
      expect([status, json['Body']]).toEqual([200, { id: 'did:x:c' }]);
      const asked = { apiKeyDigest, ...owner, credentialDid: 'did:web:host%3A8080', revision: 3 };
      expect(gateway.questionOf('wallet-store.credential.get')).toEqual(asked);
    }
  });

  it('reads one presentation with its queryMode', async () => {
    expect((await get(`/vp/did:x:p?${OWNER}&queryMode=Presented`)).json).toEqual(PRESENTATION);
    const asked = { apiKeyDigest, ...owner, presentationDid: 'did:x:p', queryMode: 'Presented' };
    expect(gateway.questionOf('wallet-store.presentation.get')).toEqual(asked);
  });

  it('takes DIDs of 512 characters; a longer one, or one with a control character, names nothing', async () => {
    const did = `did:x:${'a'.repeat(506)}`;
    expect((await get(`/credential/${did}?${OWNER}`)).status).toBe(200);
    for (const [path, code] of [
      [`/credential/${did}a`, 'credential_not_found'],
      ['/credential/did:x:%00', 'credential_not_found'],
      [`/vp/${did}a`, 'presentation_not_found'],
    ]) {
      const { status, json } = await get(`${path}?${OWNER}`);
      expect([status, json['code']]).toEqual([404, code]);
    }
  });

  it('lists with defaults, and with every parameter, the state in any case', async () => {
    expect((await get(`/credentials?${OWNER}`)).text).toBe(JSON.stringify([CREDENTIAL]));
    const defaults = { apiKeyDigest, ...owner, limit: 100, queryMode: 'All', getBodies: false };
    expect(gateway.questionOf('wallet-store.credential.list')).toEqual(defaults);
    await get(`/credentials?${OWNER}&limit=1000&queryMode=HELD&getBodies=true&state=DRAFT&cursor=credentials.c`);
    const given = { limit: 1000, queryMode: 'Held', getBodies: true, state: 'draft', cursor: 'c' };
    expect(gateway.questionOf('wallet-store.credential.list')).toEqual({ apiKeyDigest, ...owner, ...given });
    expect((await get(`/vp?${OWNER}&state=Issued`)).text).toBe(JSON.stringify([PRESENTATION]));
    const listed = { apiKeyDigest, ...owner, limit: 100, queryMode: 'All', getBodies: false, state: 'issued' };
    expect(gateway.questionOf('wallet-store.presentation.list')).toEqual(listed);
  });

  it('links to the next page with the query of this one, relative to it', async () => {
    page.nextCursor = 'after+this/one=';
    const path = `/credentials?${OWNER}&limit=2&cursor=credentials.old&state=issued`;
    const { headers } = await get(path);
    delete page.nextCursor;
    const [, target] = /^<([^>]+)>; rel="next"$/.exec(headers['link'] ?? '') ?? [];
    const next = new URL(target ?? '', `https://host.example/base/api/wallet/v1${path}`);
    expect(next.pathname).toBe('/base/api/wallet/v1/credentials');
    expect(Object.fromEntries(next.searchParams)).toEqual({
      ...owner,
      limit: '2',
      state: 'issued',
      cursor: 'credentials.after+this/one=',
    });
    expect((await get(path)).headers['link']).toBeUndefined();
  });

  it.each<[string, string, string[]]>([
    ['nothing', '/credentials', ['entityDid', 'walletDid']],
    ['an empty DID', `/credentials?entityDid=&walletDid=did:x:w`, ['entityDid']],
    ['a DID with NUL', `/credentials?entityDid=did:x:%00&walletDid=did:x:w`, ['entityDid']],
    ['a parameter twice', `/credentials?${OWNER}&entityDid=did:x:f`, ['entityDid']],
    ['an unknown state', `/credentials?${OWNER}&state=signed`, ['state']],
    ['an unknown queryMode', `/credentials?${OWNER}&queryMode=owned`, ['queryMode']],
    ['getBodies=1', `/credentials?${OWNER}&getBodies=1`, ['getBodies']],
    ['limit=0', `/credentials?${OWNER}&limit=0`, ['limit']],
    ['limit=1001', `/credentials?${OWNER}&limit=1001`, ['limit']],
    ['revision=0', `/credential/did:x:c?${OWNER}&revision=0`, ['revision']],
    ['queryMode of one credential', `/credential/did:x:c?${OWNER}&queryMode=All`, ['queryMode']],
    ['a filter that entities do not have', '/entities?entityDid=did:x:e', ['entityDid']],
    ['an empty entity', '/wallets?entityDid=', ['entityDid']],
    ['too many wallets', '/wallets?limit=1001', ['limit']],
    ['two faults', `/vp?${OWNER}&limit=x&state=y`, ['limit', 'state']],
  ])('refuses %s and names each fault', async (_what, path, paths) => {
    const { status, json } = await get(path);
    expect([status, json['code']]).toEqual([400, 'invalid_request']);
    const errors = json['errors'] as { path: string; message: string }[];
    expect(errors.map((one) => one.path).sort()).toEqual(paths);
  });

  it.each([
    ['entitydid', 'entityDid'],
    ['get_bodies', 'getBodies'],
    ['querymode', 'queryMode'],
    ['curser', 'cursor'],
  ])('says for %s what was probably meant', async (name, meant) => {
    const { json } = await get(`/credentials?${OWNER}&${name}=x`);
    const [fault] = json['errors'] as { path: string; message: string }[];
    expect(fault?.path).toBe(name);
    expect(fault?.message).toContain(meant);
  });
});
