import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum';
import type { JsonValue } from '@vestibule/foundation';
import { BACKEND_CONTROLLERS } from '../backend/backend.module';
import { operationsControllers } from '../backend/operations.module';
import { ContentModule } from '../content/content.module';
import { startGateway, type Gateway } from '../testing/gateway.stage';
import { RouteTable, type Route } from './routes';

const KEYS = [
  ['x-api-key', 'an-api-key'],
  ['content-type', 'application/json'],
] as const;

const readsBody = ({ controller, handler }: Route): boolean => {
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler.name) ?? {}) as object;
  return Object.keys(parameters).some((key) => key.startsWith(`${RouteParamtypes.BODY}:`));
};
const routes = new RouteTable([
  ...BACKEND_CONTROLLERS,
  ...operationsControllers({ servesDocs: true }),
  ...ContentModule.onManagement(undefined),
]).all.filter((route) => route.method !== 'GET' && !readsBody(route));

const QUERY = 'entityDid=did:x:e&walletDid=did:x:w';
const named = ({ method, path }: Route): readonly [string, string] => {
  const ofWallet = /^\/api\/wallet\/v1\/(?:wallet|vp)/.test(path);
  const query = path.endsWith('/wallet') ? '?entityDid=did:x:e' : ofWallet ? `?${QUERY}` : '';
  return [method, `${path.replace(':service', 'issuer').replaceAll(/:[a-zA-Z]+/g, 'an-id')}${query}`];
};

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const send = async (method: string, path: string, body: JsonValue) =>
  gateway.toManagement(path, { method, headers: KEYS, body: JSON.stringify(body) });

describe('17.13 a body that an operation does not have', () => {
  it('is that of some operations', () => {
    expect(routes.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/api/wallet/v1/entity', '/api/wallet/v1/wallet', '/callbacks/:service/retry']),
    );
  });

  it.each(routes.map(named))('is refused by %s %s with each member, and no service is asked', async (method, path) => {
    const asked = gateway.asked.length;
    const { status, json } = await send(method, path, { ids: ['a'], entityDid: 'did:x:e' });
    expect([status, json['code'], json['detail']]).toEqual([400, 'invalid_request', 'this operation takes no body']);
    expect(json['errors']).toEqual([
      { path: 'ids', message: 'is not a known member' },
      { path: 'entityDid', message: expect.stringContaining('its place is the query string') as string },
    ]);
    expect(gateway.asked.length).toBe(asked);
  });

  it.each(routes.map(named))(
    'may be an empty object for %s %s, which some clients always send',
    async (method, path) => {
      const { json } = await send(method, path, {});
      expect(json['code']).not.toBe('invalid_request');
    },
  );

  it.each([[[]], ['x'], [1]])('is refused as %j', async (body) => {
    const { status, json } = await send('POST', '/callbacks/issuer/retry', body);
    expect([status, json['errors']]).toEqual([400, [{ path: 'body', message: 'must be an object' }]]);
  });
});
