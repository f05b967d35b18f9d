import { until } from '@vestibule/testkit';
import { failing, startGateway, type Gateway } from '../testing/gateway.stage';

const NOW = '2026-03-01T12:00:00.000Z';
const LATER = '2026-03-01T12:10:00.000Z';
const REQUEST = { state: 'state-1', status: 'PENDING', created_at: NOW, expires_at: LATER };
const OFFER = { offer_id: 'offer-1', status: 'OFFER_CREATED', created_at: NOW, expires_at: LATER };

const KINDS = [
  {
    path: '/oidc4vp',
    list: 'requests',
    other: 'offers',
    one: '/oidc4vp/state-1',
    service: 'verifier.presentation-request',
    open: REQUEST,
    ended: { ...REQUEST, status: 'FULFILLED', finished_at: NOW },
    statuses: ['PENDING', 'fulfilled'],
  },
  {
    path: '/offers',
    list: 'offers',
    other: 'requests',
    one: '/offers/offer-1',
    service: 'issuer.credential-offer',
    open: OFFER,
    ended: { ...OFFER, status: 'ISSUED', finished_at: NOW },
    statuses: ['OFFER_CREATED', 'issued'],
  },
] as const;

/** How often a service is asked before the flow has ended; Infinity: it stays open. */
let endsAfter = 0;
let looks = 0;
let gateway: Gateway;
beforeEach(async () => {
  looks = 0;
  const look = (kind: (typeof KINDS)[number]) => () => {
    looks += 1;
    return looks > endsAfter ? kind.ended : kind.open;
  };
  gateway = await startGateway({
    answers: {
      'verifier.presentation-request.list': { items: [REQUEST], nextCursor: 'state-1' },
      'issuer.credential-offer.list': { items: [OFFER], nextCursor: 'offer-1' },
      'verifier.presentation-request.get': look(KINDS[0]),
      'issuer.credential-offer.get': look(KINDS[1]),
      'verifier.presentation-request.cancel': ({ state }) =>
        state === 'ended' ? failing('conflict', 'presentation_request_ended') : {},
    },
  });
});
afterEach(() => gateway.close());

describe.each(KINDS)('17.14 GET $path', ({ path, list, other, service, open, statuses }) => {
  it('lists a hundred, with the address of the next page', async () => {
    const { status, text, headers } = await gateway.toManagement(path);
    expect([status, JSON.parse(text)]).toEqual([200, [open]]);
    expect(headers['link']).toBe(`<${path.slice(1)}?cursor=${list}.${Object.values(open)[0]}>; rel="next"`);
    expect(gateway.questionOf(`${service}.list`)).toEqual({ limit: 100 });
  });

  it.each(statuses)('hands on status in any case, times of any zone, limit and cursor: %s', async (status) => {
    const times = 'created_from=2026-03-01T13:00:00%2B01:00&created_before=2026-03-02T00:00:00.5Z';
    const got = await gateway.toManagement(`${path}?status=${status}&${times}&limit=5&cursor=${list}.abc`);
    expect(got.status).toBe(200);
    expect(gateway.questionOf(`${service}.list`)).toEqual({
      status: status.toUpperCase(),
      createdFrom: NOW,
      createdBefore: '2026-03-02T00:00:00.500Z',
      limit: 5,
      cursor: 'abc',
    });
    expect(got.headers['link']).toContain(`status=${status}&`);
  });

  it.each([
    ['status=DONE', 'status', statuses[0]],
    ['status=', 'status', statuses[0]],
    ['created_from=yesterday', 'created_from', 'RFC 3339'],
    ['created_before=2026-02-30T00:00:00Z', 'created_before', 'RFC 3339'],
    ['limit=0', 'limit', 'positive'],
    ['limit=1001', 'limit', '1000'],
    ['cursor=abc', 'cursor', 'earlier page of this list'],
    [`cursor=${other}.abc`, 'cursor', 'earlier page of this list'],
    [`cursor=${list}.${'a'.repeat(1_025)}`, 'cursor', 'characters'],
    ['created_after=2026-03-01T12:00:00Z', 'created_after', 'not a known member'],
  ])('refuses ?%s and says what is allowed', async (query, at, hint) => {
    const { status, json } = await gateway.toManagement(`${path}?${query}`);
    const message = expect.stringContaining(hint) as string;
    expect([status, json['errors']]).toEqual([400, [{ path: at, message }]]);
  });
});

it.each(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:00'])('17.14 takes any time of RFC 3339: %s', async (time) => {
  const { status } = await gateway.toManagement(`/offers?created_from=${time}`);
  expect(status).toBe(200);
});

describe.each(KINDS)('17.14 GET $one?wait=', ({ one, open, ended }) => {
  it('answers as soon as it has ended', async () => {
    endsAfter = 3;
    const { status, json } = await gateway.toManagement(`${one}?wait=30`);
    expect([status, json, looks]).toEqual([200, ended, 4]);
  });

  it('answers when the time is over, with what is open', async () => {
    endsAfter = Infinity;
    const { status, json } = await gateway.toManagement(`${one}?wait=1`);
    expect([status, json]).toEqual([200, open]);
    expect(looks).toBeGreaterThan(1);
  });

  it.each(['', '?wait=0'])('looks once without it: "%s"', async (query) => {
    endsAfter = Infinity;
    expect((await gateway.toManagement(`${one}${query}`)).json).toEqual(open);
    expect(looks).toBe(1);
  });

  it('answers at once when the gateway shuts down', async () => {
    endsAfter = Infinity;
    const waiting = gateway.toManagement(`${one}?wait=30`);
    await until(() => looks > 0);
    gateway.retire();
    expect((await waiting).json).toEqual(open);
  });

  it('looks no more when the caller has gone', async () => {
    endsAfter = Infinity;
    const line = new AbortController();
    const waiting = fetch(`${gateway.managementUrl}${one}?wait=30`, { signal: line.signal }).catch(() => undefined);
    await until(() => looks > 0);
    line.abort();
    await waiting;
    let before = -1;
    const hasStopped = () => {
      const isSame = looks === before;
      before = looks;
      return isSame;
    };
    // Longer than the longest pause between two looks.
    await until(hasStopped, 20, { everyMilliseconds: 2_500 });
  });

  it.each(['31', '-1', '1.5', 'yes', ''])('refuses wait=%s', async (wait) => {
    const { status, json } = await gateway.toManagement(`${one}?wait=${wait}`);
    expect([status, json['errors']]).toEqual([400, [{ path: 'wait', message: expect.stringContaining('0 to 30') }]]);
  });
});

describe('17.14 DELETE /oidc4vp/{state}', () => {
  it('withdraws a request', async () => {
    const { status, text } = await gateway.toManagement('/oidc4vp/state-1', { method: 'DELETE' });
    expect([status, text]).toEqual([204, '']);
    expect(gateway.questionOf('verifier.presentation-request.cancel')).toEqual({ state: 'state-1' });
  });

  it('says no id: presentation_request_not_found', async () => {
    const { status, json } = await gateway.toManagement('/oidc4vp/no%20id', { method: 'DELETE' });
    expect([status, json['code']]).toEqual([404, 'presentation_request_not_found']);
  });

  it('is not served where wallets are', async () => {
    expect((await gateway.toPublic('/oidc4vp/state-1', { method: 'DELETE' })).status).toBe(404);
    expect((await gateway.toPublic('/oidc4vp')).status).toBe(404);
    expect((await gateway.toPublic('/offers')).status).toBe(404);
  });
});
