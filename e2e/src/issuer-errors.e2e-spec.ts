import { createHash } from 'node:crypto';
import { until } from '@vestibule/testkit';
import { createPool } from './look-into-database';
import { createHolder } from './handmade-credential';
import { joinIssuanceBench, type IssuanceBench, type RawAnswer } from './issuance-bench';
import { linesOf, ROW_REASONS } from './issuer-error-reasons';
import {
  AUTHORIZATION_ROWS,
  CREDENTIAL_ROWS,
  OTHER_ROWS,
  TOKEN_ROWS,
  type ResourceRow,
  type TokenRow,
} from './issuer-error-rows';

let bench: IssuanceBench;
beforeAll(async () => {
  bench = await joinIssuanceBench();
});
afterAll(() => bench?.stop());

const DESCRIPTION = /^[\x20\x21\x23-\x5B\x5D-\x7E]{1,300}$/;

/** RFC 6749 §5.2, RFC 6750 §3, OpenID4VCI 1.0 §8.3.1: JSON with two members, never cached, never encrypted. */
function expectError({ status, headers, json, text }: RawAnswer, expected: readonly [number, string]): void {
  expect([status, json['error']]).toEqual(expected);
  expect(Object.keys(json).sort()).toEqual(['error', 'error_description']);
  expect(json['error_description']).toMatch(DESCRIPTION);
  expect(headers['content-type']?.split(';')[0]).toBe('application/json');
  expect([headers['cache-control'], headers['etag'], headers['location']]).toEqual(['no-store', undefined, undefined]);
  expect(headers['allow']).toBe(status === 405 ? 'POST, OPTIONS' : undefined);
  expect(text).not.toMatch(/statusCode|message/);
}

/** What the issuer remembers a DPoP proof by, in hexadecimal: its key, its address and its `jti`. */
function replayDigestOf(proof: string): string {
  const [header, claims] = proof.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  const { kty, crv, x, y } = header.jwk;
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  return createHash('sha256').update(`${thumbprint}\0${claims.htu}\0${claims.jti}`).digest('hex');
}

/** RFC 9449 §7.1: the challenge names the error, unless there were no credentials at all. */
function challengeOf(what: string, status: number, error: string): string | undefined {
  if (status !== 401 && status !== 403) return undefined;
  return what.includes('no credentials') ? 'DPoP algs="ES256"' : `DPoP error="${error}", algs="ES256"`;
}

/** Of what a wallet sent or got in this file, that which must stand in no log line. */
const secrets: string[] = [];

/** The operator reads what the wallet does not: exactly one line with the code and the reason, from the issuer's closed table. */
async function expectReason(what: string, error: string, refused: RawAnswer, offerId?: string): Promise<void> {
  const requestId = refused.headers['x-request-id'] as string;
  const reason = ROW_REASONS[what.replace(/ at \w+$/, '')];
  const lines = () => linesOf(bench.stage.readLog(), requestId);
  const told = () => lines().filter(({ msg }) => msg === 'a request was refused');
  await until(() => lines().some(({ msg }) => msg === 'answered') && (reason === undefined || told().length > 0));
  expect(told().map(({ code, reason: why, level, service }) => [service, level, code, why])).toEqual(
    reason === undefined ? [] : [['issuer', 'info', error, reason]],
  );
  if (offerId === undefined) return;
  const subjectHash = createHash('sha256').update(offerId).digest('base64url').slice(0, 12);
  expect(told().map((line) => line['subjectHash'])).toEqual([subjectHash]);
}

describe('every error of the token endpoint, after which the code is still good:', () => {
  it.each<TokenRow>(TOKEN_ROWS)('%s: %i %s', async (what, status, error, act) => {
    const offer = await bench.offer();
    const wallet = bench.createWallet();
    const refused = await act(wallet, offer);
    expectError(refused, [status, error]);
    expect(refused.headers['www-authenticate']).toBeUndefined();
    await expectReason(what, error, refused);
    secrets.push(offer.code);
    expect(await bench.remainsOf(offer)).toMatchObject({ status: 'OFFER_CREATED', tx_code_attempts: 0 });
    expect((await wallet.askToken(wallet.form(offer))).status).toBe(200);
  });

  it('VCI:T6 a transaction code that is missing or wrong: 400 invalid_request, 400 invalid_grant', async () => {
    const offer = await bench.offer({ tx_code: {} });
    const wallet = bench.createWallet();
    const tx_code = offer.txCode === '000000' ? '000001' : '000000';
    expectError(await wallet.askToken(wallet.form(offer, { tx_code: undefined })), [400, 'invalid_request']);
    expectError(await wallet.askToken(wallet.form(offer, { tx_code })), [400, 'invalid_grant']);
    expect((await wallet.askToken(wallet.form(offer))).status).toBe(200);
  });

  it('VCI:T17 client authentication that the server does not know: 401 where an Authorization header came, else 400', async () => {
    const [offer, wallet] = [await bench.offer(), bench.createWallet()];
    const authorized = (value: string) =>
      wallet.askToken(wallet.form(offer), wallet.dpop('token'), ({ headers }) => ({
        headers: [...headers, ['authorization', value]],
      }));
    for (const [value, scheme] of [
      ['Basic d2FsbGV0OnNlY3JldA==', 'Basic'],
      ['Bearer abc', 'Bearer'],
    ] as const) {
      const refused = await authorized(value);
      expectError(refused, [401, 'invalid_client']);
      expect(refused.headers['www-authenticate']).toBe(`${scheme} realm="token"`);
    }
    for (const more of [
      { client_id: 'wallet', client_secret: 'secret' },
      { client_assertion: 'a.b.c', client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' },
    ]) {
      const refused = await wallet.askToken(wallet.form(offer, more));
      expectError(refused, [400, 'invalid_client']);
      expect(refused.headers['www-authenticate']).toBeUndefined();
    }
    expect((await wallet.askToken(wallet.form(offer))).status).toBe(200);
  });

  it('VCI:D10 a DPoP proof that was used before: 400 invalid_dpop_proof', async () => {
    const [offer, other, wallet] = [await bench.offer(), await bench.offer(), bench.createWallet()];
    const proof = wallet.dpop('token');
    expect((await wallet.askToken(wallet.form(offer), proof)).status).toBe(200);
    expectError(await wallet.askToken(wallet.form(other), proof), [400, 'invalid_dpop_proof']);
    expect((await wallet.askToken(wallet.form(other))).status).toBe(200);
  });

  it('VCI:D10 VCI:T5 a guess writes nothing: no proof is spent for a code that is not there', async () => {
    const [offer, wallet] = [await bench.offer(), bench.createWallet()];
    const rows = createPool(bench.stage.database.urls.issuer);
    const proof = wallet.dpop('token');
    // Other files use this stage at the same time.
    const findSpent = `SELECT FROM issuer.spent WHERE digest = '\\x${replayDigestOf(proof)}'`;
    const isSpent = async () => (await rows.query(findSpent)).length === 1;
    try {
      const guess = (code: string) => wallet.askToken(wallet.form(offer, { 'pre-authorized_code': code }), proof);
      for (const code of ['x', 'y', 'z']) expectError(await guess(code), [400, 'invalid_grant']);
      expect(await isSpent()).toBe(false);
      expect((await wallet.askToken(wallet.form(offer), proof)).status).toBe(200);
      expect(await isSpent()).toBe(true);
    } finally {
      await rows.close();
    }
  });
});

describe('every error of the endpoints that take a token, after which the token is still good:', () => {
  it.each<ResourceRow>([...AUTHORIZATION_ROWS, ...CREDENTIAL_ROWS, ...OTHER_ROWS])(
    '%s: %i %s',
    async (what, status, error, act) => {
      const offer = await bench.offer();
      const wallet = bench.createWallet();
      const token = await wallet.token(offer);
      const refused = await act(wallet, token);
      expectError(refused, [status, error]);
      expect(refused.headers['www-authenticate']).toBe(challengeOf(what, status, error));
      const isAuthorized = !AUTHORIZATION_ROWS.some(([title]) => title === what);
      await expectReason(what, error, refused, isAuthorized ? offer.offerId : undefined);
      secrets.push(offer.code, token);
      expect(await bench.remainsOf(offer)).toMatchObject({ status: 'OFFER_CREATED' });
      expect((await wallet.post('credential', token, await wallet.body())).status).toBe(200);
    },
  );

  it('VCI:P8 VCI:P6 a second credential request, for another key: 400 credential_request_denied', async () => {
    const [offer, wallet] = [await bench.offer(), bench.createWallet()];
    const token = await wallet.token(offer);
    await wallet.post('credential', token, await wallet.body());
    const proofs = { jwt: [wallet.keyProof(await wallet.nonce(), { signer: createHolder() })] };
    const second = await wallet.post('credential', token, await wallet.body({ proofs }));
    expectError(second, [400, 'credential_request_denied']);
  });

  it('VCI:N4 VCI:J10 a nonce that another offer was issued with: 400 invalid_nonce', async () => {
    const wallet = bench.createWallet();
    const [first, second] = [await wallet.token(await bench.offer()), await wallet.token(await bench.offer())];
    const body = await wallet.body();
    expect((await wallet.post('credential', first, body)).status).toBe(200);
    const rows = createPool(bench.stage.database.urls.issuer);
    const count = async () => (await rows.query('SELECT FROM issuer.status_entry')).length;
    const reserved: number[] = [];
    try {
      // Noticed before an index was reserved, which would be lost for ever. Other files may reserve some meanwhile.
      while (reserved.length < 5 && !reserved.includes(0)) {
        const before = await count();
        expectError(await wallet.post('credential', second, body), [400, 'invalid_nonce']);
        reserved.push((await count()) - before);
      }
      expect(reserved).toContain(0);
    } finally {
      await rows.close();
    }
    expect((await wallet.post('credential', second, await wallet.body())).status).toBe(200);
  });

  it('VCI:R6 a configuration where the token response named identifiers: 400 invalid_credential_request', async () => {
    const [offer, wallet] = [await bench.offer(), bench.createWallet()];
    const details = [{ type: 'openid_credential', credential_configuration_id: 'identity-card' }];
    const { json } = await wallet.askToken(wallet.form(offer, { authorization_details: JSON.stringify(details) }));
    const token = json['access_token'] as string;
    expectError(await wallet.post('credential', token, await wallet.body()), [400, 'invalid_credential_request']);
    const [granted] = json['authorization_details'] as { credential_identifiers: string[] }[];
    const named = { credential_configuration_id: undefined, credential_identifier: granted?.credential_identifiers[0] };
    expect((await wallet.post('credential', token, await wallet.body(named))).status).toBe(200);
  });

  it('VCI:T4 VCI:T13 VCI:D13 more than is known in the form, and more than one space in a header, are no errors', async () => {
    const [offer, wallet] = [await bench.offer(), bench.createWallet()];
    const more = { scope: 'openid offline_access', 'x[version]': '1' };
    for (const sent of [wallet.form(offer, more), wallet.form(offer, more)]) {
      const { status, json } = await wallet.askToken(`${sent}&resource=a&resource=b`);
      expect([status, json['scope'], json['authorization_details']]).toEqual([200, 'identity-card', undefined]);
    }
    const token = await wallet.token(offer);
    const spaced = await wallet.post('credential', token, await wallet.body(), ({ headers }) => ({
      headers: headers.map(([name, value]) => [name, value.replace(/^DPoP /, 'DPoP   ')] as const),
    }));
    expect(spaced.status).toBe(200);
  });

  it('VCI:F5 VCI:F13 a transaction and a notification of another token: 400', async () => {
    const [mine, theirs] = [bench.createWallet(), bench.createWallet()];
    const own = await mine.token(await bench.offer());
    const promise = await theirs.token(await bench.offer({ deferred: true, claims: {} }));
    const { transaction_id } = (await theirs.post('credential', promise, await theirs.body())).json;
    expectError(await mine.post('deferred_credential', own, { transaction_id }), [400, 'invalid_transaction_id']);
    const issued = await theirs.token(await bench.offer());
    const { notification_id } = (await theirs.post('credential', issued, await theirs.body())).json;
    const body = { notification_id, event: 'credential_accepted' };
    expectError(await mine.post('notification', own, body), [400, 'invalid_notification_id']);
    expect((await theirs.post('notification', issued, { ...body, unknown: [1] })).status).toBe(204);
  });

  it.each<[string, object, number, string]>([
    ['VCI:E1 an unknown kid', { kid: 'other' }, 400, 'invalid_encryption_parameters'],
    ['VCI:E1 an encryption that is not offered', { enc: 'A128CBC-HS256' }, 400, 'invalid_encryption_parameters'],
    ['VCI:E1 another key agreement', { alg: 'ECDH-ES+A256KW' }, 400, 'invalid_encryption_parameters'],
    ['VCI:E8 a compression bomb', { zip: 'DEF' }, 400, 'invalid_encryption_parameters'],
  ])('%s in an encrypted request: %i', async (_what, header, status, error) => {
    const wallet = bench.createWallet();
    const token = await wallet.token(await bench.offer());
    const padding = 'zip' in header ? 'x'.repeat(5_000_000) : '';
    const sending = (body: string) =>
      wallet.post('credential', token, {}, ({ headers }) => ({
        body,
        headers: [['content-type', 'application/jwt'], ...headers.slice(1)],
      }));
    expectError(await sending(await bench.encrypt({ ...(await wallet.body()), padding }, { ...header })), [
      status,
      error,
    ]);
    expect((await sending(await bench.encrypt(await wallet.body(), { zip: 'DEF' }))).status).toBe(200);
  });
});

describe('the offer', () => {
  it('VCI:O13 that is unknown or has ended is 404, without a difference', async () => {
    const [offer, wallet] = [await bench.offer(), bench.createWallet()];
    const address = new URL(offer.uri).searchParams.get('credential_offer_uri') as string;
    await wallet.post('credential', await wallet.token(offer), await wallet.body());
    const [ended, unknown] = await Promise.all(
      [address, address.replace(offer.offerId, 'A'.repeat(32))].map(async (url) => {
        const response = await fetch(url);
        return [response.status, response.headers.get('cache-control'), await response.json()];
      }),
    );
    expect(ended).toEqual(unknown);
    expect(ended?.slice(0, 2)).toEqual([404, 'no-store']);
  });
});

describe('the log', () => {
  it('VCI:J16 has a reason for every row, and no code, token or text of a wallet', () => {
    const rows = [...TOKEN_ROWS, ...AUTHORIZATION_ROWS, ...CREDENTIAL_ROWS, ...OTHER_ROWS];
    const titles = rows.map(([what]) => what.replace(/ at \w+$/, ''));
    expect(Object.keys(ROW_REASONS).sort()).toEqual([...new Set(titles)].sort());
    expect(secrets.length).toBeGreaterThan(rows.length);
    const log = bench.stage.readLog().join('\n');
    for (const secret of [...secrets, 'x.example', 'another-token', 'unknown-token']) expect(log).not.toContain(secret);
  });
});
