import { FindApiKeys } from '@vestibule/contracts';
import { startGateway, type Gateway } from '../testing/gateway.stage';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ answers: { [FindApiKeys.subject]: { known: [] } } });
});
afterAll(() => gateway.close());

const JSON_TYPE = ['content-type', 'application/json'] as const;

describe('a request that expects what nobody here knows (RFC 9110 §10.1.1)', () => {
  it.each(['x', '200-ok', '100-continue, x', 'X=y;z'])('gets no other answer for it: %s', async (expectation) => {
    const headers = [JSON_TYPE, ['expect', expectation] as const, ['x-api-key', 'wrong'] as const];
    for (const listener of ['toManagement', 'toPublic'] as const) {
      const content = await gateway[listener]('/api/wallet/v1/credentials', { method: 'POST', headers, body: '{' });
      expect([content.status, content.json['code']]).toEqual([401, 'api_key_invalid']);
      expect(content.headers['x-request-id']).toBeDefined();
      const nowhere = await gateway[listener]('/nowhere', { method: 'POST', headers, body: '{' });
      expect([nowhere.status, nowhere.headers['cache-control']]).toEqual([404, 'no-store']);
    }
  });

  it('is answered by the route', async () => {
    const headers = [['expect', 'x'] as const];
    expect((await gateway.toManagement('/health/live', { headers })).json).toEqual({ live: true });
  });
});
