import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { queryFor } from './flows';
import { openRequest } from './handmade-wallet';
import { joinStage, type SharedStage } from './stage';

let stage: SharedStage;
beforeAll(async () => {
  stage = await joinStage();
});
afterAll(() => stage?.stop());

const create = (body: object = {}) => stage.management('POST', '/oidc4vp', { dcql_query: queryFor(stage), ...body });
const faultsOf = ({ status, body }: { status: number; body: Record<string, unknown> }) => [
  status,
  ((body['errors'] ?? []) as { path: string }[]).map((fault) => fault.path),
];

async function lifeOf(body: object): Promise<number> {
  const { state } = (await create(body)).body;
  const view = (await stage.management('GET', `/oidc4vp/${String(state)}`)).body;
  return (Date.parse(String(view['expires_at'])) - Date.parse(String(view['created_at']))) / 1000;
}

describe('POST /oidc4vp', () => {
  it('C:1.2 C:4.1 takes a query alone, and answers with state and both URIs', async () => {
    const { status, headers, body } = await create();
    expect([status, headers.get('content-type')]).toEqual([201, 'application/json; charset=utf-8']);
    expect(Object.keys(body).sort()).toEqual(['cross_device_request_uri', 'same_device_request_uri', 'state']);
    expect(Object.values(body).filter((value) => typeof value !== 'string' || value === '')).toEqual([]);
  });

  it.each(['nonce', 'response_mode', 'response_type', 'client_id', 'aud'])(
    'C:1.2 C:1.13 leaves %s to the service: it is refused',
    async (name) => {
      expect(faultsOf(await create({ [name]: 'x'.repeat(43) }))).toEqual([400, [name]]);
    },
  );

  it.each([[undefined], [{}], [{ credentials: {} }], [{ credentials: [] }]])(
    'C:2.1 refuses the query %j, which has no array of credential queries',
    async (dcql_query) => {
      const [status, paths] = faultsOf(await create({ dcql_query }));
      expect([status, paths]).toEqual([
        400,
        [
          dcql_query === undefined || !('credentials' in dcql_query)
            ? expect.stringMatching(/^dcql_query/)
            : 'dcql_query.credentials',
        ],
      ]);
    },
  );

  it('C:2.3 has one format, dc+sd-jwt', async () => {
    const { claims } = await openRequest(String((await create()).body['cross_device_request_uri']));
    expect(claims['dcql_query']).toMatchObject({ credentials: [{ format: 'dc+sd-jwt' }] });
    const other = await create({ dcql_query: queryFor(stage, { format: 'mso_mdoc' }) });
    expect(faultsOf(other)).toEqual([400, ['dcql_query.credentials[0].format']]);
  });

  it('C:2.11 C:2.12 C:8.1 C:8.2 gives a request ten minutes, or as many seconds as expires_in says', async () => {
    expect(await lifeOf({})).toBe(600);
    expect(await lifeOf({ expires_in: 77 })).toBe(77);
  });

  it('C:2.21 C:2.22 C:2.23 percent-encodes the address of each flow in its URI', async () => {
    const { body } = await create();
    for (const [member, flow] of [
      ['same_device_request_uri', 'same-device'],
      ['cross_device_request_uri', 'cross-device'],
    ] as const) {
      const uri = String(body[member]);
      const clientId = new URL(uri).searchParams.get('client_id') ?? '';
      const address = `${stage.stack.baseUrl}/oidc4vp/${String(body['state'])}/request?flow_type=${flow}`;
      const query = `client_id=${encodeURIComponent(clientId)}&request_uri=${encodeURIComponent(address)}`;
      expect(uri).toBe(`openid4vp://?${query}`);
    }
  });

  it('C:1.8 C:5.3 C:5.4 signs with the access certificate that is configured', async () => {
    const pem = readFileSync(path.join(stage.stack.files.folder, 'verifier.pem'), 'utf8');
    const { raw } = new X509Certificate(pem);
    const request = await openRequest(String((await create()).body['same_device_request_uri']));
    expect((request.header['x5c'] as string[])[0]).toBe(raw.toString('base64'));
    expect(request.clientId).toBe(`x509_hash:${createHash('sha256').update(raw).digest('base64url')}`);
  });

  it('C:2.16 C:3.22 makes a new request with a new state of the same body', async () => {
    const [first, second] = [await create(), await create()];
    expect(first.body['state']).not.toBe(second.body['state']);
  });
});

describe('the management API', () => {
  it('C:1.5 is served apart from the public listener, at port 8081 unless another one is configured', async () => {
    const { managementUrl, baseUrl } = stage.stack;
    const described = (await stage.management('GET', '/openapi.json')).body;
    expect(described['servers']).toMatchObject([{ variables: { management: { default: '127.0.0.1:8081' } } }]);
    expect(new URL(managementUrl).port).not.toBe(new URL(baseUrl).port);
    for (const address of ['/oidc4vp', '/offers']) {
      expect([
        (await fetch(`${managementUrl}${address}`)).status,
        (await fetch(`${baseUrl}${address}`)).status,
      ]).toEqual([200, 404]);
    }
  });
});
