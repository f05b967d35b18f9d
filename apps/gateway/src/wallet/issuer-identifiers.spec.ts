import { formPost, jsonPost, startGateway, type Gateway, type Sent } from '../testing/gateway.stage';

const DOCUMENT = 'issuer.document.get';
const JSON_ANSWER = { json: '{}' };
const ANSWERS = {
  [DOCUMENT]: JSON_ANSWER,
  'issuer.signed-metadata.get': { jwt: 'eyJ' },
  'issuer.type-metadata.get': JSON_ANSWER,
  'issuer.offer-object.get': { offer: {} },
  'issuer.token.issue': { access_token: 'opaque', token_type: 'DPoP', expires_in: 300 },
  'issuer.nonce.issue': { c_nonce: 'n' },
  'issuer.challenge.issue': { attestation_challenge: 'c' },
  'issuer.credential.issue': { credentials: [{ credential: 'eyJ~' }] },
  'issuer.deferred-credential.issue': { credentials: [{ credential: 'eyJ~' }] },
  'issuer.notification.accept': {},
};
/** The endpoints of an issuer, the question that each becomes, and what is sent. */
const ENDPOINTS: readonly (readonly [path: string, subject: string, sent: Sent])[] = [
  ['/oidc4vci/offers/an-offer', 'issuer.offer-object.get', {}],
  ['/oidc4vci/types/card', 'issuer.type-metadata.get', {}],
  ['/oidc4vci/token', 'issuer.token.issue', formPost('a=b')],
  ['/oidc4vci/nonce', 'issuer.nonce.issue', { method: 'POST' }],
  ['/oidc4vci/challenge', 'issuer.challenge.issue', { method: 'POST' }],
  ['/oidc4vci/credential', 'issuer.credential.issue', jsonPost({})],
  ['/oidc4vci/deferred_credential', 'issuer.deferred-credential.issue', jsonPost({})],
  ['/oidc4vci/notification', 'issuer.notification.accept', jsonPost({})],
];
const DOCUMENTS = ['openid-credential-issuer', 'oauth-authorization-server', 'jwt-vc-issuer'];

describe.each([
  ['without a path', ''],
  ['with a path', '/tenants/one'],
])('EU:M2 issuer identifiers below an ISSUER_URL %s', (_what, base) => {
  let gateway: Gateway;
  beforeAll(async () => {
    const environment = { ISSUER_URL: `https://wallets.example${base}` };
    gateway = await startGateway({ answers: ANSWERS, environment });
  });
  afterAll(() => gateway.close());

  it.each(ENDPOINTS)(
    '%s is asked for the identifier in the path, or for that of the installation',
    async (path, subject, sent) => {
      expect((await gateway.toPublic(`${base}${path}`, sent)).status).toBeLessThan(300);
      expect(gateway.questionOf(subject)).not.toHaveProperty('issuer');
      expect((await gateway.toPublic(`${base}/eu-1${path}`, sent)).status).toBeLessThan(300);
      expect(gateway.questionOf(subject)).toMatchObject({ issuer: 'eu-1' });
    },
  );

  it.each(DOCUMENTS)('VCI:U3 %s has the name at the end of its path', async (name) => {
    expect((await gateway.toPublic(`/.well-known/${name}${base}`)).status).toBe(200);
    expect(gateway.questionOf(DOCUMENT)).toEqual({ document: name });
    expect((await gateway.toPublic(`/.well-known/${name}${base}/eu-1`)).status).toBe(200);
    expect(gateway.questionOf(DOCUMENT)).toEqual({ document: name, issuer: 'eu-1' });
  });

  it.each([...ENDPOINTS.map(([path]) => path), '/oidc4vci/status-lists/a-list'])(
    '%s is not there below what cannot be a name',
    async (path) => {
      const names = ['/EU', '/%65u', '/-eu', '/a/b', '/e.u', `/${'e'.repeat(64)}`, '/'];
      for (const name of names) {
        const { status } = await gateway.toPublic(`${base}${name}${path}`);
        expect([name, status]).toEqual([name, 404]);
      }
    },
  );

  it.each(DOCUMENTS)('%s is not there at another place', async (name) => {
    const paths = [
      `/.well-known/${name}${base}/EU`,
      `/.well-known/${name}${base}/eu/`,
      `/.well-known/${name}${base}/a/b`,
    ];
    for (const path of [...paths, `${base}/eu/.well-known/${name}`])
      expect([path, (await gateway.toPublic(path)).status]).toEqual([path, 404]);
  });

  it('a wrong method is told the right one', async () => {
    const { status, headers } = await gateway.toPublic(`${base}/eu/oidc4vci/token`);
    expect([status, headers['allow']]).toEqual([405, 'POST, OPTIONS']);
  });
});

describe('status lists of two identifiers with the same id', () => {
  it('are kept apart', async () => {
    const lists: string[] = [];
    const gateway = await startGateway({
      answers: {
        'issuer.status-list.get': (question: unknown) => {
          const { issuer = 'own', knownEtag } = question as { issuer?: string; knownEtag?: string };
          lists.push(`${issuer} ${knownEtag ?? 'new'}`);
          return { etag: issuer, maxAgeSeconds: 60, ...(knownEtag ? {} : { token: `list of ${issuer}` }) };
        },
      },
    });
    const read = async (path: string) => (await gateway.toPublic(`${path}/oidc4vci/status-lists/a-list`)).text;
    const texts = [await read(''), await read('/eu'), await read(''), await read('/eu')];
    await gateway.close();
    expect(texts).toEqual(['list of own', 'list of eu', 'list of own', 'list of eu']);
    expect(lists).toEqual(['own new', 'eu new', 'own own', 'eu eu']);
  });
});
