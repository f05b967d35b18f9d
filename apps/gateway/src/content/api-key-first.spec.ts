import { createHash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import * as contracts from '@vestibule/contracts';
import { DomainError, VERSION, type JsonObject } from '@vestibule/foundation';
import { API_DOCUMENTS } from '../api-documents';
import { startGateway, type Answers, type Gateway, type Got, type Sent } from '../testing/gateway.stage';

const KEY = 'an-api-key-of-a-tenant';
const KNOWN = createHash('sha256').update(KEY).digest('base64url');

/** Every question to the wallet store: refused as the store refuses a key that it does not know, and else not found. */
function walletStore(): Answers {
  const subjects = Object.values(contracts).flatMap((value) =>
    typeof value === 'object' && 'subject' in value && value.subject.startsWith('wallet-store.') ? [value.subject] : [],
  );
  const refuse = (question: JsonObject): never => {
    if (question['apiKeyDigest'] !== KNOWN) {
      throw new DomainError({ kind: 'unauthenticated', code: 'api_key_invalid', detail: 'unknown or revoked' });
    }
    throw new DomainError({ kind: 'not_found', code: 'entity_not_found', detail: 'there is nothing' });
  };
  const find = ({ apiKeyDigests }: JsonObject) => ({
    known: (apiKeyDigests as string[]).filter((digest) => digest === KNOWN),
  });
  return { ...Object.fromEntries(subjects.map((subject) => [subject, refuse])), 'wallet-store.api-key.find': find };
}

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ answers: walletStore() });
});
afterAll(() => gateway.close());

interface Operation {
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

/** Routes for which the API descriptions ask for `X-API-KEY`: `PATCH /drafts/{id}`. */
function describedRoutes(): string[] {
  const routes = API_DOCUMENTS.flatMap(({ describe: document }) =>
    Object.entries(document(gateway.managementApp, VERSION).paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, Operation>)
        .filter(([, { security = [] }]) => security.some((one) => 'apiKey' in one))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    ),
  );
  return [...new Set(routes)].sort();
}

const asDescribed = (route: string) => route.replaceAll(/:([A-Za-z]+)/g, '{$1}');
/** What the listeners serve besides: for wallets, for backends without a tenant, for everybody. */
const WITHOUT_KEY =
  /^[A-Z]+ \/(?:oidc4vp|oidc4vci|\{issuer\}\/oidc4vci|\.well-known|offers|callbacks|docs|health|metrics|schemas\/\{tenant\}\/\{slug\}\/\{version\}|credential-status\/\{tenant\})(?:\/|$)/;

const listeners = ['management', 'public'] as const;
type Listener = (typeof listeners)[number];
const call = (listener: Listener, path: string, sent: Sent): Promise<Got> =>
  listener === 'public' ? gateway.toPublic(path, sent) : gateway.toManagement(path, sent);

type Header = readonly [string, string];
const JSON_TYPE: Header = ['content-type', 'application/json'];
const PREVIOUS: Header = ['x-service-oas-version', '0.38.2'];

/** Requests that each break another rule; what is added to the path, the headers and the body. */
const BROKEN: readonly (readonly [string, { query?: string; headers?: readonly Header[]; body?: string | Buffer }])[] =
  [
    ['nothing wrong', {}],
    ['a body that is not JSON', { headers: [JSON_TYPE], body: '{"a":' }],
    ['a body that is not UTF-8', { headers: [JSON_TYPE], body: Buffer.from([0x22, 0xff, 0x22]) }],
    ['a member name twice', { headers: [JSON_TYPE], body: '{"a":1,"a":2}' }],
    ['an inexact number', { headers: [JSON_TYPE], body: '{"a":9007199254740993}' }],
    ['deep nesting', { headers: [JSON_TYPE], body: '['.repeat(64) }],
    ['a wrong media type', { headers: [['content-type', 'text/xml']], body: '<a/>' }],
    ['a malformed media type', { headers: [['content-type', ';;;']], body: '{}' }],
    ['a form', { headers: [['content-type', 'application/x-www-form-urlencoded']], body: 'a=b' }],
    ['a body of 1.5 MiB', { headers: [JSON_TYPE], body: Buffer.alloc(1_572_864, 0x20) }],
    ['an unknown member', { headers: [JSON_TYPE], body: '{"nobody knows":1}' }],
    ['an unknown version', { headers: [['x-service-oas-version', '9.9.9']] }],
    ['the previous version, not JSON', { headers: [PREVIOUS, JSON_TYPE], body: '{' }],
    ['a bad query', { query: '?entityDid=&entityDid=&limit=x&nobody=knows&revision=0&state=1' }],
    ['a bad idempotency key', { headers: [['idempotency-key', 'short']] }],
    ['two entity tags', { headers: [['if-match', '"1", "2"']] }],
  ];
/** Names that may exist, cannot exist, and are no names at all. */
const NAMES = ['did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169', '%00', 'x'.repeat(1_400), '..%2F..', '%20'];
const WRONG_KEYS: readonly (readonly [string, string, readonly Header[]])[] = [
  ['no key', 'api_key_missing', []],
  ['a wrong key', 'api_key_invalid', [['x-api-key', 'a-key-that-nobody-has']]],
];

/** What the wire shows of an answer, but for the clock. */
const shown = ({ status, headers, text }: Got) => ({ status, headers: { ...headers, date: 'now' }, text });

describe('the key of the wallet content API comes before everything else', () => {
  it('every route of both listeners is known here, and those that ask for a key are described so', () => {
    const described = describedRoutes();
    expect(described.length).toBeGreaterThanOrEqual(22);
    for (const served of [gateway.managementRoutes(), gateway.publicRoutes()]) {
      const keyed = served.map(asDescribed).filter((route) => !WITHOUT_KEY.test(route));
      expect([...new Set(keyed)].sort()).toEqual(described);
    }
  });

  it.each(
    listeners.flatMap((listener) => WRONG_KEYS.map(([what, code, headers]) => ({ listener, what, code, headers }))),
  )(
    'W:5.1 $what is 401 on every route, name and body of the $listener listener, to the byte',
    async ({ listener, code, headers }) => {
      const before = gateway.asked.length;
      for (const route of describedRoutes()) {
        const [method = '', pattern = ''] = route.split(' ');
        const names = pattern.includes('{') ? NAMES : [''];
        const answers = new Set<string>();
        for (const [index, name] of names.entries()) {
          for (const [, broken] of index === 0 ? BROKEN : BROKEN.slice(0, 2)) {
            const path = `${pattern.replace(/\{[a-z]+\}/, name)}${broken.query ?? ''}`;
            const always: Header[] = [['x-request-id', 'one-request']];
            const sent = { method, headers: [...always, ...headers, ...(broken.headers ?? [])] };
            const got = await call(listener, path, broken.body === undefined ? sent : { ...sent, body: broken.body });
            expect([route, path.slice(0, 80), got.status, got.json['code']]).toEqual([
              route,
              path.slice(0, 80),
              401,
              code,
            ]);
            answers.add(JSON.stringify(shown(got)));
          }
        }
        expect([route, answers.size]).toEqual([route, 1]);
      }
      expect(gateway.asked.length).toBe(before);
    },
    60_000,
  );

  it.each(listeners)('a right key hears on the %s listener what is wrong', async (listener) => {
    const headers: Header[] = [['x-api-key', KEY]];
    const post = (path: string, sent: Sent) => call(listener, path, { method: 'POST', ...sent });
    const json = [...headers, JSON_TYPE];
    const answers = [
      await post('/drafts', { headers: json, body: '{' }),
      await post('/drafts', { headers: [...headers, ['content-type', 'text/xml']], body: '<a/>' }),
      await post('/drafts', { headers: json, body: Buffer.alloc(300_000, 0x20) }),
      await post('/drafts', { headers: [...json, ['x-service-oas-version', '9']], body: '{}' }),
      await post('/api/wallet/v1/wallet?entityDid=', { headers }),
      await post('/api/wallet/v1/entity', { headers }),
    ].map(({ json: { code } }) => code);
    expect(answers).toEqual([
      'invalid_json',
      'unsupported_media_type',
      'body_too_large',
      'api_version_unknown',
      'invalid_request',
      'entity_not_found',
    ]);
  });

  it.each(listeners)('the %s listener answers while the body is still to come', async (listener) => {
    const url = `${listener === 'public' ? gateway.publicUrl : gateway.managementUrl}/drafts`;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': 200_000, 'x-api-key': 'wrong' };
      const outgoing = httpRequest(url, { method: 'POST', headers, agent: false }, (response) => {
        resolve(response.statusCode);
        outgoing.destroy();
      });
      outgoing.on('error', reject);
      outgoing.flushHeaders();
    });
    expect(status).toBe(401);
  });

  it.each(listeners)('spellings of a path do not lead past the key on the %s listener', async (listener) => {
    for (const path of [
      '/%64rafts',
      '/draft%73/search',
      '/drafts?',
      '/drafts/?a',
      '//drafts',
      '/drafts/',
      '/./drafts',
    ]) {
      const { status } = await call(listener, path, { method: 'POST', headers: [JSON_TYPE], body: '{' });
      expect([path, [401, 404].includes(status)]).toEqual([path, true]);
    }
  });

  it.each(listeners)('addresses that the %s listener does not have are 404, with any key or none', async (listener) => {
    for (const [method, path] of [
      ['GET', '/api/wallet/v1/nothing'],
      ['POST', '/drafts/a/b/c'],
    ] as const) {
      for (const key of [undefined, 'wrong', KEY]) {
        const headers: Header[] = key === undefined ? [JSON_TYPE] : [JSON_TYPE, ['x-api-key', key]];
        const { status, json } = await call(listener, path, { method, headers, body: '{' });
        expect([path, status, json['code']]).toEqual([path, 404, 'route_not_found']);
      }
    }
  });
});
