import { request as httpRequest } from 'node:http';
import { failing, formPost, jsonPost, startGateway, type Gateway, type Sent } from '../testing/gateway.stage';

const EXPECT = 'verifier.presentation.expect';
const SUBMIT = 'verifier.presentation.submit';
const GET_OBJECT = 'verifier.request-object.get';
const KNOWN = 'K'.repeat(32);
const UNKNOWN = 'U'.repeat(32);
/** The largest body that is taken without a question. */
const SMALL_BYTES = 32_768;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({
    answers: {
      [EXPECT]: ({ state }) => ({ expected: state === KNOWN }),
      [SUBMIT]: ({ state }) => (state === KNOWN ? {} : failing('invalid', 'invalid_request')()),
      [GET_OBJECT]: ({ state }) =>
        state === KNOWN ? { requestObject: 'a.b.c' } : failing('not_found', 'request_not_found')(),
    },
  });
});
afterAll(() => gateway.close());

const RESPONSE = (state: string) => `/oidc4vp/${state}/response`;
const REQUEST = (state: string) => `/oidc4vp/${state}/request?flow_type=same-device`;
const ofSize = (size: number) => `response=${'x'.repeat(size - 9)}`;

async function asked(path: string, sent: Sent) {
  const before = gateway.asked.length;
  const { status, json } = await gateway.toPublic(path, sent);
  return { status, error: json['error'], subjects: gateway.asked.slice(before).map(({ subject }) => subject) };
}

describe('a large body for a state that nobody made', () => {
  it.each<[string, Sent]>([
    ['a form of 1 MiB', formPost(ofSize(1_048_576))],
    ['a form that is just not small', formPost(ofSize(SMALL_BYTES + 1))],
    ['a form in chunks, whose size nobody knows', { ...formPost(ofSize(400_000)), chunked: true }],
    ['chunks that are more than any body may be', { ...formPost(ofSize(3_000_000)), chunked: true }],
    ['JSON of 1 MiB', jsonPost(`"${'x'.repeat(1_048_574)}"`)],
    ['separators alone', formPost('&'.repeat(1_048_576))],
  ])('stays in the gateway, for one small question: %s', async (_what, sent) => {
    expect(await asked(RESPONSE(UNKNOWN), sent)).toEqual({ status: 400, error: 'invalid_request', subjects: [EXPECT] });
    expect(await asked(REQUEST(UNKNOWN), sent)).toEqual({ status: 404, error: 'invalid_request', subjects: [EXPECT] });
  });

  it('is not even read', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': 1_000_000 };
      const url = `${gateway.publicUrl}${RESPONSE(UNKNOWN)}`;
      const outgoing = httpRequest(url, { method: 'POST', headers, agent: false }, (response) => {
        resolve(response.statusCode);
        outgoing.destroy();
      });
      outgoing.on('error', reject);
      outgoing.flushHeaders();
    });
    expect(status).toBe(400);
  });

  it.each(['%00', 'a.b', 'x'.repeat(129)])('costs no question where no state looks so: %s', async (state) => {
    const sent = formPost(ofSize(1_048_576));
    expect(await asked(RESPONSE(state), sent)).toEqual({ status: 400, error: 'invalid_request', subjects: [] });
    expect(await asked(REQUEST(state), sent)).toEqual({ status: 404, error: 'invalid_request', subjects: [] });
  });

  it('costs no question where it is larger than any body may be', async () => {
    const { status, subjects } = await asked(RESPONSE(UNKNOWN), formPost(ofSize(1_048_577)));
    expect([status, subjects]).toEqual([413, []]);
  });

  it('sounds like a small one: nothing says how far it came', async () => {
    const answers = await Promise.all(
      [100, 40_000].map(
        async (size) => (await gateway.toPublic(RESPONSE(UNKNOWN), formPost(ofSize(size)))).json['error'],
      ),
    );
    expect(answers).toEqual(['invalid_request', 'invalid_request']);
  });
});

describe('a body for a request that is open', () => {
  it('of the usual size costs no question', async () => {
    const sent = formPost(ofSize(SMALL_BYTES));
    expect(await asked(RESPONSE(KNOWN), sent)).toEqual({ status: 200, error: undefined, subjects: [SUBMIT] });
    const inChunks = await asked(RESPONSE(KNOWN), { ...sent, chunked: true });
    expect([inChunks.status, inChunks.subjects]).toEqual([200, [SUBMIT]]);
    const { status, subjects } = await asked(REQUEST(KNOWN), formPost('wallet_nonce=n'));
    expect([status, subjects]).toEqual([200, [GET_OBJECT]]);
    expect((await asked(REQUEST(KNOWN), { method: 'GET' })).subjects).toEqual([GET_OBJECT]);
    expect((await asked(REQUEST(KNOWN), { method: 'POST' })).subjects).toEqual([GET_OBJECT]);
  });

  it.each<[string, Sent]>([
    ['of 1 MiB', formPost(ofSize(1_048_576))],
    ['in chunks', { ...formPost(ofSize(1_048_576)), chunked: true }],
  ])('is taken all the same: %s', async (_what, sent) => {
    expect(await asked(RESPONSE(KNOWN), sent)).toEqual({ status: 200, error: undefined, subjects: [EXPECT, SUBMIT] });
  });

  it('of too many chunks is 413, also where the wallet goes away in the middle', async () => {
    const { status } = await gateway.toPublic(RESPONSE(KNOWN), { ...formPost(ofSize(2_000_000)), chunked: true });
    expect(status).toBe(413);
    await new Promise<void>((resolve) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const url = `${gateway.publicUrl}${RESPONSE(KNOWN)}`;
      const outgoing = httpRequest(url, { method: 'POST', headers, agent: false }, () => outgoing.destroy());
      outgoing.on('error', () => undefined);
      outgoing.on('close', resolve);
      outgoing.write('x'.repeat(1_200_000));
    });
    expect((await gateway.toPublic(RESPONSE(KNOWN), formPost('response=x'))).status).toBe(200);
  });

  it('is server_error with Retry-After where nobody can say whether it is', async () => {
    const away = await startGateway();
    try {
      const { status, headers, json } = await away.toPublic(RESPONSE(KNOWN), formPost(ofSize(40_000)));
      expect([status, json['error'], headers['retry-after']]).toEqual([503, 'server_error', '5']);
    } finally {
      await away.close();
    }
  });
});
