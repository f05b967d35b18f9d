import { VERSION, type JsonObject } from '@vestibule/foundation';
import { API_DOCUMENTS } from '../api-documents';
import { failing, startGateway, type Gateway, type Sent } from '../testing/gateway.stage';

/** Numbers that a double does not have. */
const INEXACT = [
  '1e999',
  '-1e999',
  '1E400',
  '9007199254740993',
  '-9007199254740993',
  '0.1000000000000000055511151231257827',
  '0.10000000000000001',
  '1e-400',
  '9007199254740992.5',
  '123456789012345678901234567890',
];
/** Numbers that come back as they were sent, perhaps in another spelling. */
const EXACT = '[-0,0,0.0,1.50,0.1,1e3,1E+2,9007199254740992,-9007199254740992,1e21,5e-324,1.7976931348623157e308]';
const REWRITTEN = '[0,0,0,1.5,0.1,1000,100,9007199254740992,-9007199254740992,1e+21,5e-324,1.7976931348623157e+308]';

/** Where a number can be, as the text around it, and the path that the fault names. */
const PLACES: readonly (readonly [around: string, path: string])[] = [
  ['{"a":#}', 'a'],
  ['{"a":{"b":[0,[{"c":#}]]}}', 'a.b[1][0].c'],
  ['{"a b":{"":[#]}}', '["a b"][""][0]'],
  ['{"__proto__":{"constructor":#}}', '__proto__.constructor'],
  ['{"\\u0061":1,"b\\"":#}', '["b\\""]'],
  ['[1,#]', '[1]'],
  [' #\n', ''],
];

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const KEY = ['x-api-key', 'a-key-of-a-tenant'] as const;
const IDEMPOTENT = ['idempotency-key', 'k'.repeat(32)] as const;
const sentAs = (method: string, body: string, type = 'application/json'): Sent => ({
  method,
  headers: [KEY, IDEMPOTENT, ['content-type', type]],
  body,
});

async function refusal(path: string, sent: Sent, listener: 'toManagement' | 'toPublic' = 'toManagement') {
  const before = gateway.asked.length;
  const { status, json, text } = await gateway[listener](path, sent);
  const paths = ((json['errors'] ?? []) as { path: string }[]).map((fault) => fault.path);
  return { status, code: json['code'], paths, asked: gateway.asked.length - before, text };
}

/** Every route with a body that the descriptions of the APIs know. */
function routesWithBodies(): (readonly [method: string, path: string])[] {
  const routes = API_DOCUMENTS.filter(({ name }) => name !== 'public').flatMap(({ describe: document }) =>
    Object.entries(document(gateway.managementApp, VERSION).paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, { requestBody?: unknown }>)
        .filter(([, { requestBody }]) => requestBody !== undefined)
        .map(([method]) => `${method.toUpperCase()} ${path.replaceAll(/\{[A-Za-z_]+\}/g, 'an-id')}`),
    ),
  );
  return [...new Set(routes)].map((route) => route.split(' ') as [string, string]);
}

describe('a number that would become another one', () => {
  it('is 400 with its path on every route that takes a body, in both media types, and nobody is asked', async () => {
    const routes = routesWithBodies();
    expect(routes.length).toBeGreaterThanOrEqual(16);
    for (const [method, path] of routes) {
      for (const type of ['application/json', 'application/merge-patch+json']) {
        const got = await refusal(path, sentAs(method, '{"a":{"b":[0,9007199254740993]}}', type));
        const expected = { status: 400, code: 'invalid_request', paths: ['a.b[1]'], asked: 0 };
        expect([method, path, got]).toEqual([method, path, expect.objectContaining(expected)]);
      }
    }
  });

  it('is so on the public listener too', async () => {
    for (const [method, path] of routesWithBodies()) {
      if (!/^\/(?:api\/wallet|schemas|published-schemas|drafts)/.test(path)) continue;
      const got = await refusal(path, sentAs(method, '{"a":1e999}'), 'toPublic');
      expect([path, got.status, got.paths, got.asked]).toEqual([path, 400, ['a'], 0]);
    }
  });

  describe.each([
    ['POST', '/offers'],
    ['PATCH', '/offers/an-offer'],
  ])('in the claims of %s %s', (method, route) => {
    it.each(INEXACT)('%s is refused wherever it is, and not repeated in the answer', async (literal) => {
      for (const [around, path] of PLACES) {
        const body = `{"claims":${around.replace('#', () => literal)}}`;
        const { text, ...got } = await refusal(route, sentAs(method, body));
        const below = path === '' ? 'claims' : path.startsWith('[') ? `claims${path}` : `claims.${path}`;
        expect([around, got]).toEqual([around, { status: 400, code: 'invalid_request', paths: [below], asked: 0 }]);
        expect(text).not.toContain(literal);
      }
    });

    it('is listed with all others, at most a hundred', async () => {
      const three = '{"claims":{"a":1e999,"b":[1,1e-999],"c":{"d":9007199254740993}}}';
      expect((await refusal(route, sentAs(method, three))).paths).toEqual(['claims.a', 'claims.b[1]', 'claims.c.d']);
      const many = `{"claims":{"a":[${Array(500).fill('1e999').join()}]}}`;
      expect((await refusal(route, sentAs(method, many))).paths).toHaveLength(100);
    });
  });

  it.each(INEXACT)('is refused in transaction data and in values of a query: %s', async (literal) => {
    const body = `{"dcql_query":{"credentials":[{"claims":[{"path":["a",0],"values":[1,${literal}]}]}]},
      "transaction_data":[{"type":"payment","payload":{"amount":${literal}}},"e30"]}`;
    expect((await refusal('/oidc4vp', sentAs('POST', body))).paths).toEqual([
      'dcql_query.credentials[0].claims[0].values[1]',
      'transaction_data[0].payload.amount',
    ]);
  });

  it.each(INEXACT)('is refused in what is imported, drafted and defined: %s', async (literal) => {
    for (const [path, body, expected] of [
      [
        '/api/wallet/v1/credentials',
        `{"Body":{"credentialSubject":{"sum":[${literal}]}}}`,
        'Body.credentialSubject.sum[0]',
      ],
      ['/drafts', `{"data":{"values":{"sum":{"kind":"NUMBER","value":${literal}}}}}`, 'data.values.sum.value'],
      ['/schemas', `{"data":{"schema":{"fields":[{"value":{"x":${literal}}}]}}}`, 'data.schema.fields[0].value.x'],
      ['/drafts/search', `{"filter":[{"revision":{"value":${literal}}}]}`, 'filter[0].revision.value'],
    ] as const) {
      const { paths, status } = await refusal(path, sentAs('POST', body));
      expect([path, status, paths]).toEqual([path, 400, [expected]]);
    }
  });

  it('is refused by the VC API, where there is one', async () => {
    const withVcApi = await startGateway({
      environment: { VC_API_KEY_DIGEST: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' },
    });
    try {
      for (const path of ['/credentials/issue', '/credentials/verify', '/presentations/verify']) {
        const { status, json } = await withVcApi.toManagement(path, sentAs('POST', '{"credential":{"sum":1e999}}'));
        expect([status, json['errors']]).toEqual([400, [expect.objectContaining({ path: 'credential.sum' })]]);
      }
      expect(withVcApi.asked).toEqual([]);
    } finally {
      await withVcApi.close();
    }
  });
});

describe('a number that stays the same', () => {
  it.each([
    ['POST', '/offers', 'issuer.credential-offer.create'],
    ['PATCH', '/offers/an-offer', 'issuer.credential-offer.change'],
  ])('reaches the service, however it is spelled: %s %s', async (method, path, subject) => {
    await gateway.toManagement(path, sentAs(method, `{"claims":{"all":${EXACT}}}`));
    const { claims } = gateway.questionOf(subject)?.['body'] as { claims: JsonObject };
    expect(JSON.stringify(claims['all'])).toBe(REWRITTEN);
  });

  it('in a body that was corrected is taken with the key of the one that was refused', async () => {
    const service = await startGateway({
      answers: { 'issuer.credential-offer.create': failing('conflict', 'idempotency_conflict') },
    });
    try {
      const refused = await service.toManagement('/offers', sentAs('POST', '{"claims":{"a":1e999}}'));
      const taken = await service.toManagement('/offers', sentAs('POST', '{"claims":{"a":1e99}}'));
      expect([refused.status, taken.json['code']]).toEqual([400, 'idempotency_conflict']);
      expect(service.asked.map(({ question }) => question['idempotencyKey'])).toEqual(['k'.repeat(32)]);
    } finally {
      await service.close();
    }
  });
});
