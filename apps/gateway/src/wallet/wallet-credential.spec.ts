import { until } from '@vestibule/testkit';
import { jsonPost, startGateway, type Gateway } from '../testing/gateway.stage';

const CREDENTIAL = 'issuer.credential.issue';
const DEFERRED = 'issuer.deferred-credential.issue';
const NOTIFICATION = 'issuer.notification.accept';
const AUTHORIZED = ['authorization', 'DPoP abc'] as const;
const REPORT = 'issuer.hand-over.report';
const reported: string[] = [];
let answered: object;
let gateway: Gateway;

beforeAll(async () => {
  const answer = () => answered;
  const report = ({ handOvers }: { handOvers?: unknown }) => {
    reported.push(...(handOvers as string[]));
    return {};
  };
  const answers = { [CREDENTIAL]: answer, [DEFERRED]: answer, [NOTIFICATION]: {}, [REPORT]: report };
  gateway = await startGateway({ answers });
});
beforeEach(() => {
  answered = { transaction_id: 'later', interval: 30 };
});
afterAll(() => gateway.close());

describe('answers to a wallet with a token', () => {
  const PROMISE = { transaction_id: 'later', interval: 30 };
  const CREDENTIALS = { credentials: [{ credential: 'eyJ~' }], notification_id: 'n' };

  it.each<[string, string, object, number]>([
    ['VCI:P1 credentials', '/oidc4vci/credential', CREDENTIALS, 200],
    ['VCI:P5 a promise', '/oidc4vci/credential', PROMISE, 202],
    ['VCI:F3 a promise again', '/oidc4vci/deferred_credential', PROMISE, 202],
    ['VCI:P1 promised credentials', '/oidc4vci/deferred_credential', CREDENTIALS, 200],
  ])('%s: at %s', async (_what, path, answer, expected) => {
    answered = answer;
    const { status, json, headers } = await gateway.toPublic(path, jsonPost({}, AUTHORIZED));
    expect([status, json]).toEqual([expected, answer]);
    expect([headers['content-type']?.split(';')[0], headers['cache-control']]).toEqual([
      'application/json',
      'no-store',
    ]);
  });

  it.each<[string, boolean, number]>([
    ['VCI:E5 /oidc4vci/credential', false, 200],
    ['VCI:E6 /oidc4vci/credential', true, 202],
    ['VCI:E5 /oidc4vci/deferred_credential', false, 200],
    ['VCI:E6 /oidc4vci/deferred_credential', true, 202],
  ])('%s sends an encrypted answer as application/jwt (pending: %s)', async (title, pending, expected) => {
    answered = { jwe: 'a..b.c.d', pending };
    const { status, text, headers } = await gateway.toPublic(title.split(' ')[1] as string, jsonPost({}, AUTHORIZED));
    expect([status, text]).toEqual([expected, 'a..b.c.d']);
    expect([headers['content-type'], headers['cache-control']]).toEqual(['application/jwt', 'no-store']);
  });

  it.each<[string, string, object, object | string]>([
    ['VCI:P1 credentials', 'credential', CREDENTIALS, CREDENTIALS],
    ['VCI:E5 encrypted credentials', 'credential', { jwe: 'a..b.c.d', pending: false }, 'a..b.c.d'],
    ['VCI:F1 promised credentials', 'deferred_credential', CREDENTIALS, CREDENTIALS],
  ])('VCI:P9 %s: the issuer hears that they were handed over, and the wallet nothing of it', async (...all) => {
    const [what, endpoint, answer, expected] = all;
    const name = `the name of ${what}`;
    answered = { ...answer, handOver: name };
    const before = reported.length;
    const { status, text, json, headers } = await gateway.toPublic(`/oidc4vci/${endpoint}`, jsonPost({}, AUTHORIZED));
    expect([status, typeof expected === 'string' ? text : json]).toEqual([200, expected]);
    expect(`${text} ${JSON.stringify(headers)}`).not.toMatch(/hand.?over|the name of/i);
    await until(() => reported.length > before);
    expect(reported.slice(before)).toEqual([name]);
    expect(gateway.questionOf(`issuer.${endpoint.replace('_', '-')}.issue`)).toMatchObject({ reportsHandOver: true });
  });

  it('VCI:F7 a notification is answered with 204 and nothing', async () => {
    const { status, text, headers } = await gateway.toPublic('/oidc4vci/notification', jsonPost({ a: 1 }, AUTHORIZED));
    expect([status, text, headers['cache-control']]).toEqual([204, '', 'no-store']);
    expect(gateway.questionOf(NOTIFICATION)).toEqual({ authorization: ['DPoP abc'], dpop: [], body: { a: 1 } });
  });

  it('VCI:E1 VCI:R1 an encrypted request reaches the issuer as it is', async () => {
    const sent = {
      method: 'POST',
      headers: [['content-type', 'application/jwt'], AUTHORIZED] as const,
      body: 'a..b.c.d',
    };
    await gateway.toPublic('/oidc4vci/credential', sent);
    expect(gateway.questionOf(CREDENTIAL)).toEqual({
      authorization: ['DPoP abc'],
      dpop: [],
      jwt: 'a..b.c.d',
      reportsHandOver: true,
    });
    await gateway.toPublic('/oidc4vci/deferred_credential', sent);
    expect(gateway.questionOf(DEFERRED)).toMatchObject({ jwt: 'a..b.c.d' });
  });

  it.each(['deferred_credential', 'notification'])('VCI:F10 GET of %s is 405 with Allow', async (name) => {
    const { status, headers } = await gateway.toPublic(`/oidc4vci/${name}`);
    expect([status, headers['allow']]).toEqual([405, 'POST, OPTIONS']);
  });
});
