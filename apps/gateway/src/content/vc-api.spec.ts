import { createHash } from 'node:crypto';
import { failing, jsonPost, startGateway, type Gateway } from '../testing/gateway.stage';

const digest = createHash('sha256').update('an-api-key-of-a-tenant').digest('base64url');
const signed = { verifiableCredential: { id: 'did:x:1', proof: {} } };
const verified = { verified: true, problemDetails: [] };
const answers = {
  'wallet-store.vc-api.issue-credential': signed,
  'wallet-store.vc-api.verify-credential': verified,
  'wallet-store.vc-api.verify-presentation': failing('invalid', 'vc_challenge_mismatch'),
};
const ROUTES = ['/credentials/issue', '/credentials/verify', '/presentations/verify'];

describe('the VC API', () => {
  let gateway: Gateway;
  afterEach(() => gateway.close());

  it('is off by default', async () => {
    gateway = await startGateway({ answers });
    for (const route of ROUTES) {
      const { status, json } = await gateway.toManagement(route, jsonPost({}));
      expect([route, status, json['code']]).toEqual([route, 404, 'route_not_found']);
    }
    expect(gateway.asked).toEqual([]);
  });

  it('is never on the public listener', async () => {
    gateway = await startGateway({ answers, environment: { VC_API_KEY_DIGEST: digest } });
    for (const route of ROUTES) expect((await gateway.toPublic(route, jsonPost({}))).status).toBe(404);
    expect(gateway.asked).toEqual([]);
  });

  it.each<Readonly<Record<string, string>>>([{}, { SCHEMA_API_PREFIX: '/content' }])(
    'signs and verifies for the tenant of the configured key, with %j',
    async (environment) => {
      gateway = await startGateway({ answers, environment: { VC_API_KEY_DIGEST: digest, ...environment } });
      const credential = { id: 'did:x:1' };
      const issued = await gateway.toManagement('/credentials/issue', jsonPost({ credential, options: { any: 1 } }));
      expect([issued.status, issued.json]).toEqual([201, signed]);
      const check = { verifiableCredential: credential, options: { checks: ['proof'] } };
      const checked = await gateway.toManagement('/credentials/verify', jsonPost(check));
      expect([checked.status, checked.json]).toEqual([200, verified]);
      const presentation = { verifiablePresentation: {}, options: { challenge: 'c', domain: 'd' } };
      const refused = await gateway.toManagement('/presentations/verify', jsonPost(presentation));
      expect([refused.status, refused.json['code']]).toEqual([400, 'vc_challenge_mismatch']);
      expect(gateway.asked.map(({ question }) => question)).toEqual([
        { apiKeyDigest: digest, credential },
        { apiKeyDigest: digest, verifiableCredential: credential },
        { apiKeyDigest: digest, ...presentation },
      ]);
    },
  );

  it('refuses a body without a document, and a presentation without a challenge', async () => {
    gateway = await startGateway({ answers, environment: { VC_API_KEY_DIGEST: digest } });
    const bodies = { [ROUTES[0] as string]: {}, [ROUTES[1] as string]: { verifiableCredential: 'text' } };
    for (const [route, body] of Object.entries({
      ...bodies,
      '/presentations/verify': { verifiablePresentation: {} },
    })) {
      const { status, json } = await gateway.toManagement(route, jsonPost(body));
      expect([route, status, json['code']]).toEqual([route, 400, 'invalid_request']);
    }
  });
});
