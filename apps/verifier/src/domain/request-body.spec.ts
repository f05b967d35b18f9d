import { ApiError, type JsonObject } from '@vestibule/foundation';
import { authorizationEndpointFault } from '@vestibule/oid4vp';
import { fastestMilliseconds, hostileUrls, printedJson } from '@vestibule/testkit';
import { payment, pidQuery } from '../testing/verifier.fixture-spec';
import { registration } from '../testing/registration.fixture-spec';
import { NO_REGISTRATIONS } from './registration';
import { NO_RELYING_PARTIES } from './relying-party';
import { parseRequestBody } from './request-body';

const body = (more: JsonObject = {}): JsonObject => ({ dcql_query: { credentials: [pidQuery()] }, ...more });
const asking = (more: JsonObject): JsonObject => body({ dcql_query: { credentials: [pidQuery(more)] } });
const callbackUrlFault = (url: string) => (url.startsWith('https://b.example/') ? undefined : 'must be another');
const rules = {
  registrations: NO_REGISTRATIONS,
  relyingParties: NO_RELYING_PARTIES,
  sca: { types: new Map(), now: new Date() },
  redirectUri: { appSchemes: [], allowHttp: false },
  callbackUrlFault,
  authorizationEndpointFault: (text: string) => authorizationEndpointFault(text),
};
const parse = (input: JsonObject) => parseRequestBody(input, rules);

function faultsOf(input: JsonObject) {
  try {
    parse(input);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error).toMatchObject({ kind: 'invalid', code: 'invalid_request' });
    return error.faults;
  }
  throw new Error('the body was accepted');
}
const pathsOf = (input: JsonObject) => faultsOf(input).map(({ path }) => path);

describe('18.5 the registration of a body', () => {
  const registrations = { policy: 'enforce', byDefault: undefined, all: [registration()] } as const;
  const faultyPaths = (input: JsonObject) => {
    try {
      parseRequestBody(input, { ...rules, registrations });
    } catch (error) {
      return (error as ApiError).faults.map(({ path }) => path);
    }
    throw new Error('the body was accepted');
  };

  it('is chosen beside other faults, which are all listed', () => {
    const exceeding = 'dcql_query.credentials[0].claims[1]';
    expect(faultyPaths(body({ intended_use: 'login', expires_in: 0 })).sort()).toEqual([exceeding, 'expires_in']);
    expect(faultyPaths({ intended_use: 'x' }).sort()).toEqual(['dcql_query', 'intended_use']);
    expect(faultyPaths(body({ intended_use: 1 }))).toEqual(['intended_use']);
    expect(faultyPaths(body())).toEqual(['intended_use']);
  });
});

describe('a claim that is named by JSONPath', () => {
  const place = (index: number) => `dcql_query.credentials[0].claims[${index}].path[0]`;

  it('is refused with the path that was meant, beside other faults', () => {
    const claims = [
      { path: ['$.address.locality'] },
      { path: ["$['given_name']"] },
      { path: ['$[0]', 'x'] },
      { path: [0] },
    ];
    const faults = faultsOf(asking({ claims }));
    expect(faults.map(({ path }) => path).sort()).toEqual([place(0), place(1), place(2), place(3)]);
    const messages = new Map(faults.map(({ path, message }) => [path, message]));
    expect(messages.get(place(0))).toMatch(/: write \["address", "locality"\]$/);
    expect(messages.get(place(1))).toMatch(/^is JSONPath.* such as \["address", "locality"\]$/);
  });

  it('is no other name, however strange: a claim may be called so', () => {
    const names = ['$', '$x', 'a.b', 'https://claims.example/$.x', "['x']", '', '$ref'];
    expect(() => parse(asking({ claims: names.map((name) => ({ path: [name] })) }))).not.toThrow();
    expect(() => parse(asking({ claims: [{ path: ['x', '$.y'] }] }))).not.toThrow();
  });

  it.each([
    undefined,
    null,
    'x',
    [],
    {},
    { credentials: 'x' },
    { credentials: [null, { claims: 1 }, { claims: [null] }] },
  ])('is not looked for in a query that is %j', (query) => {
    const faults = faultsOf(body({ dcql_query: query as never }));
    expect(faults.filter(({ message }) => message.includes('JSONPath'))).toEqual([]);
  });
});

describe('a body in order', () => {
  it('may be the one that docs/payments.md prints', () => {
    const [sample = ''] = printedJson('payments.md');
    expect(() => parse(JSON.parse(sample) as JsonObject)).not.toThrow();
  });

  it('needs nothing but a query; ten minutes are the default', () => {
    const accepted = parse(body());
    expect(accepted).toMatchObject({ expiresInSeconds: 600, transactionData: [] });
    expect(accepted).not.toHaveProperty('redirectUri');
  });

  it('VP:E16 VP:E20 keeps the query as it came: nulls, order and unknown members', () => {
    const query = { credentials: [pidQuery({ claims: [{ path: ['a', null, 0] }], vendor_extension: { x: [2, 1] } })] };
    expect(parse({ dcql_query: query }).query.source).toEqual(query);
  });

  it('VP:F1 VP:P3 takes everything that a backend can say', () => {
    const { encoded } = payment()[0] ?? { encoded: '' };
    const more = { expires_in: 86_400, redirect_uri: 'https://rp.example/cb?x=1', transaction_data: [encoded] };
    expect(parse(body(more))).toMatchObject({
      expiresInSeconds: 86_400,
      redirectUri: 'https://rp.example/cb?x=1',
      transactionData: [{ encoded, credentialIds: ['pid'] }],
    });
  });

  it('VP:P3 takes an app’s scheme and http only where they are switched on', () => {
    const allowed = { ...rules, redirectUri: { appSchemes: ['eu.example.app'], allowHttp: true } };
    for (const redirect_uri of ['eu.example.app://back', 'http://rp.example/']) {
      expect(parseRequestBody(body({ redirect_uri }), allowed).redirectUri).toBe(redirect_uri);
      expect(pathsOf(body({ redirect_uri }))).toEqual(['redirect_uri']);
    }
  });

  const tooLong: [string, string] = ['too many characters', `https://rp.example/${'a'.repeat(2_048)}`];
  it.each([...hostileUrls('rp.example'), tooLong])(
    'VP:P3 names the redirect_uri once that has %s',
    (_what, redirect_uri) => expect(pathsOf(body({ redirect_uri }))).toEqual(['redirect_uri']),
  );
});

describe('18.11 the wallet to invoke', () => {
  it.each(['haip-vp://', 'eudi-openid4vp://', 'https://wallet.example/authorize'])('is kept: %s', (named) => {
    expect(parse(body({ authorization_endpoint: named })).authorizationEndpoint).toBe(named);
    expect(parse(body())).not.toHaveProperty('authorizationEndpoint');
  });

  it.each([
    ['javascript:alert(1)'],
    ['https://w.example/?client_id=x'],
    ['unknown-wallet://'],
    [7],
    ['x'.repeat(2_049)],
  ])('is refused: %s', (authorization_endpoint) =>
    expect(pathsOf(body({ authorization_endpoint }))).toEqual(['authorization_endpoint']),
  );
});

describe('the receiver of one request', () => {
  it('is kept as it was accepted', () => {
    expect(parse(body({ callback_url: 'https://b.example/hooks' })).callbackUrl).toBe('https://b.example/hooks');
    expect(parse(body())).not.toHaveProperty('callbackUrl');
  });

  it.each([['https://evil.example/'], ['no URL'], [7]])('is refused: %s', (callback_url) => {
    expect(pathsOf(body({ callback_url }))).toEqual(['callback_url']);
  });

  it('has a path where it is kept, if only a slash: its origin is found by what ends it', () => {
    for (const [callback_url, kept] of [
      ['https://b.example', 'https://b.example/'],
      ['https://b.example?x=1', 'https://b.example/?x=1'],
    ] as const) {
      const accepting = { ...rules, callbackUrlFault: () => undefined };
      expect(parseRequestBody(body({ callback_url }), accepting).callbackUrl).toBe(kept);
    }
  });
});

describe('a body with a fault', () => {
  it.each([
    ['VP:E1 no query', {}, ['dcql_query']],
    ['VP:E1 a query that is text', { dcql_query: 'x' }, ['dcql_query']],
    ['VP:E1 no credentials', { dcql_query: {} }, ['dcql_query.credentials']],
    ['VP:E1 an empty list of credentials', { dcql_query: { credentials: [] } }, ['dcql_query.credentials']],
    ['VP:E3 another format', asking({ format: 'mso_mdoc' }), ['dcql_query.credentials[0].format']],
    ['VP:E4 no types', asking({ meta: {} }), ['dcql_query.credentials[0].meta.vct_values']],
    ['VP:E12 text for a boolean', asking({ multiple: 'yes' }), ['dcql_query.credentials[0].multiple']],
    ['expires_in 0', body({ expires_in: 0 }), ['expires_in']],
    ['expires_in of more than a day', body({ expires_in: 86_401 }), ['expires_in']],
    ['expires_in with a fraction', body({ expires_in: 1.5 }), ['expires_in']],
    ['expires_in as text', body({ expires_in: '600' }), ['expires_in']],
    ['an unknown member', body({ expiresIn: 600 }), ['expiresIn']],
    ['VP:C13 a nonce', body({ nonce: 'x' }), ['nonce']],
    ['VP:P3 a script as address', body({ redirect_uri: 'javascript:alert(1)' }), ['redirect_uri']],
    ['VP:P3 an address with fragment', body({ redirect_uri: 'https://rp.example/#a' }), ['redirect_uri']],
    ['VP:P3 a relative address', body({ redirect_uri: '/back' }), ['redirect_uri']],
    ['an address that is no text', body({ redirect_uri: 1 }), ['redirect_uri']],
    ['VP:F1 no transaction data in the list', body({ transaction_data: [] }), ['transaction_data']],
    ['VP:F1 transaction data that is no list', body({ transaction_data: {} }), ['transaction_data']],
    ['VP:F1 transaction data that is a number', body({ transaction_data: [1] }), ['transaction_data[0]']],
    [
      'VP:F2 transaction data for an unknown credential',
      body({ transaction_data: [{ type: 'x', credential_ids: ['no'] }] }),
      ['transaction_data[0].credential_ids[0]'],
    ],
    [
      'VP:F3 transaction data without holder binding',
      {
        dcql_query: { credentials: [pidQuery({ require_cryptographic_holder_binding: false })] },
        transaction_data: [{ type: 'x', credential_ids: ['pid'] }],
      },
      ['transaction_data[0].credential_ids[0]'],
    ],
  ] as [string, JsonObject, string[]][])('%s is refused by its path', (_title, input, paths) => {
    expect(pathsOf(input)).toEqual(paths);
  });

  it('says what was probably meant', () => {
    expect(faultsOf(body({ expiresIn: 600 }))[0]?.message).toContain('expires_in');
  });

  it('lists every fault of every member at once', () => {
    const input: JsonObject = {
      dcql_query: { credentials: [pidQuery({ format: 'jwt_vc', multiple: 1 })] },
      expires_in: -1,
      redirect_uri: 'ftp://rp.example/',
      transaction_data: [{ credential_ids: ['pid'] }, '?', { type: 'x', credential_ids: [] }],
      surplus: true,
    };
    expect(pathsOf(input).sort()).toEqual([
      'dcql_query.credentials[0].format',
      'dcql_query.credentials[0].multiple',
      'expires_in',
      'redirect_uri',
      'surplus',
      'transaction_data[0].type',
      'transaction_data[1]',
      'transaction_data[2].credential_ids',
    ]);
  });

  it('lists the faults of transaction data beside those of its list', () => {
    const paths = pathsOf(body({ expires_in: 0, transaction_data: [1, { type: 'x', credential_ids: ['no'] }] }));
    expect(paths.sort()).toEqual(['expires_in', 'transaction_data[0]', 'transaction_data[1].credential_ids[0]']);
  });

  it('VP:E19 is refused quickly when it is huge', () => {
    const claims = Array.from({ length: 10_000 }, (_item, index) => ({ path: [`c${index}`] }));
    const milliseconds = fastestMilliseconds(() => {
      expect(pathsOf(asking({ claims })).length).toBeGreaterThan(0);
    }, 1_000);
    expect(milliseconds).toBeLessThan(1_000);
  });
});
