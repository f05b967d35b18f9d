import type { JsonObject } from '@vestibule/foundation';
import { BACKEND_CONTROLLERS } from '../backend/backend.module';
import { operationsControllers } from '../backend/operations.module';
import { ContentModule } from '../content/content.module';
import { startGateway, type Gateway, type Sent } from '../testing/gateway.stage';
import { RouteTable, type Route } from './routes';

const KEYS = [
  ['x-api-key', 'an-api-key'],
  ['content-type', 'application/json'],
] as const;
const routes = new RouteTable([
  ...BACKEND_CONTROLLERS,
  ...operationsControllers({ servesDocs: true }),
  ...ContentModule.onManagement({ apiKeyDigest: 'a digest' }),
]).all;

/** Read by programs that add parameters of their own, and by everybody: probes, scrapers, browsers, readers of published schemas. */
const FOR_ANYBODY = /^\/(?:health|metrics|docs|schemas\/:tenant\/:slug\/:version)(?:\/|$)/;
const strict = routes.filter(({ path }) => !FOR_ANYBODY.test(path));
const named = ({ method, path }: Route): readonly [string, string] => [
  method,
  path
    .replace(':service', 'issuer')
    .replace(':version', '1')
    .replaceAll(/:[a-zA-Z]+/g, /\/(?:drafts|credentials|wallet)\//.test(path) ? 'did:x:y' : 'an-id'),
];
/** Bodies without which something else is wrong, too. */
const BODIES: Readonly<Record<string, JsonObject>> = {
  'POST /api/wallet/v1/credentials': { Body: {} },
  'POST /api/wallet/v1/vp': { CredentialDids: ['did:x:y'] },
};
const sent = (method: string, path = ''): Sent => {
  const body = JSON.stringify(BODIES[`${method} ${path}`] ?? {});
  return { method, headers: KEYS, ...(method === 'GET' ? {} : { body }) };
};

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ environment: { VC_API_KEY_DIGEST: Buffer.alloc(32).toString('base64url') } });
});
afterAll(() => gateway.close());

const pathsOf = (json: JsonObject) => ((json['errors'] ?? []) as { path: string }[]).map(({ path }) => path);

describe('17.13 a query parameter that a route does not have', () => {
  it.each(strict.map(named))('is refused by %s %s, and no service is asked', async (method, path) => {
    const asked = gateway.asked.length;
    const { status, json } = await gateway.toManagement(`${path}?zebra=x`, sent(method, path));
    expect([status, json['code']]).toEqual([400, 'invalid_request']);
    expect(json['errors']).toContainEqual({ path: 'zebra', message: 'is not a known member' });
    expect(gateway.asked.length).toBe(asked);
  });

  it('is refused by every route of the management listener but those for anybody', () => {
    expect(strict.length).toBeGreaterThan(40);
    expect(routes.filter((one) => !strict.includes(one)).length).toBeLessThan(12);
  });

  it.each(['a=1&a=2', 'zebra', '__proto__=1', 'constructor=x&toString=y', '%00=1'])(
    'is refused however it is written: %s',
    async (query) => {
      const { status, json } = await gateway.toManagement(`/drafts/did:x:y?${query}`, sent('DELETE'));
      expect([status, json['code']]).toEqual([400, 'invalid_request']);
      expect(pathsOf(json).length).toBeGreaterThan(0);
    },
  );

  it('is refused after the key, which strangers must have first', async () => {
    const { status, json } = await gateway.toManagement('/drafts/did:x:y?zebra=x', { method: 'DELETE' });
    expect([status, json['code']]).toEqual([401, 'api_key_missing']);
  });

  it.each(['/drafts/did:x:y?', '/drafts/did:x:y'])('is not an empty query: %s', async (path) => {
    expect((await gateway.toManagement(path, sent('DELETE'))).status).toBe(503);
  });

  it('does not keep probes, scrapers and readers of published schemas away', async () => {
    const paths = ['/health/live?probe=1', '/metrics?module=x', '/docs/start.js?v=2'];
    const statuses = await Promise.all(paths.map(async (path) => (await gateway.toManagement(path)).status));
    expect(statuses).toEqual([200, 200, 200]);
    // No service listens here: 503 says that the route asked one.
    expect((await gateway.toPublic('/schemas/a/b/1?cache=no')).status).toBe(503);
  });
});
