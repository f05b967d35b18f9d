import { DomainError, type ErrorCode, type ErrorKind } from '@vestibule/foundation';
import { failing, formPost, jsonPost, startGateway, type Gateway, type Got } from '../testing/gateway.stage';

let thrown: () => unknown;
let gateway: Gateway;

beforeAll(async () => {
  const fail = () => thrown();
  gateway = await startGateway({ answers: { 'issuer.token.issue': fail, 'issuer.credential.issue': fail } });
});
afterAll(() => gateway.close());

const AUTHORIZED = ['authorization', 'DPoP abc'] as const;
const ENDPOINTS = {
  token: () => gateway.toPublic('/oidc4vci/token', formPost('a=b', AUTHORIZED)),
  credential: () => gateway.toPublic('/oidc4vci/credential', jsonPost({}, AUTHORIZED)),
};

function expectOAuth({ headers, json }: Got): void {
  expect(headers['content-type']).toMatch(/^application\/json(;|$)/);
  expect(headers['cache-control']).toBe('no-store');
  expect(Object.keys(json).sort()).toEqual(['error', 'error_description']);
}

describe('errors for wallets', () => {
  it.each<['token' | 'credential', ErrorKind, ErrorCode, number]>([
    ['token', 'unauthenticated', 'invalid_dpop_proof', 400],
    ['token', 'unauthenticated', 'use_dpop_nonce', 400],
    ['token', 'invalid', 'invalid_grant', 400],
    ['token', 'invalid', 'unsupported_grant_type', 400],
    ['token', 'invalid', 'use_attestation_challenge', 400],
    ['token', 'invalid', 'invalid_authorization_details', 400],
    ['credential', 'invalid', 'invalid_request', 400],
    ['credential', 'invalid', 'invalid_proof', 400],
    ['credential', 'invalid', 'invalid_nonce', 400],
    ['credential', 'invalid', 'unknown_credential_configuration', 400],
    ['credential', 'invalid', 'credential_request_denied', 400],
  ])('VCI:D18 VCI:D22 at the %s endpoint: %s %s is %i without a challenge', async (endpoint, kind, code, expected) => {
    thrown = failing(kind, code);
    const got = await ENDPOINTS[endpoint]();
    expectOAuth(got);
    expect([got.status, got.json['error'], got.headers['www-authenticate']]).toEqual([expected, code, undefined]);
  });

  it.each<[ErrorKind, ErrorCode]>([
    ['invalid', 'invalid_client'],
    ['unauthenticated', 'invalid_client'],
  ])('VCI:T17 at the token endpoint %s %s without an Authorization header is 400', async (kind, code) => {
    thrown = failing(kind, code);
    const got = await gateway.toPublic('/oidc4vci/token', formPost('a=b'));
    expectOAuth(got);
    expect([got.status, got.json['error'], got.headers['www-authenticate']]).toEqual([400, code, undefined]);
  });

  it.each([
    ['Basic dXNlcjpzZWNyZXQ=', 'Basic realm="token"'],
    ['basic dXNlcjpzZWNyZXQ=', 'basic realm="token"'],
    ['Bearer abc', 'Bearer realm="token"'],
    ['DPoP abc', 'DPoP realm="token"'],
    ['', 'Basic realm="token"'],
    ['<script> x', 'Basic realm="token"'],
    [`${'a'.repeat(33)} x`, 'Basic realm="token"'],
  ])(
    'VCI:T17 at the token endpoint invalid_client is 401 with a challenge where "%s" came (RFC 6749 §5.2)',
    async (authorization, challenge) => {
      thrown = failing('invalid', 'invalid_client');
      const got = await gateway.toPublic('/oidc4vci/token', formPost('a=b', ['authorization', authorization]));
      expectOAuth(got);
      expect([got.status, got.json['error'], got.headers['www-authenticate']]).toEqual([
        401,
        'invalid_client',
        challenge,
      ]);
    },
  );

  it.each(['/oidc4vci/tok%65n', '/oidc4vci/%74oken', '/oidc4vci/toke%6E?x', '/oidc4vci/token?a=%2F'])(
    'VCI:T17 the token endpoint is the same however its address is spelled: %s',
    async (address) => {
      const ask = (...headers: (readonly [string, string])[]) => gateway.toPublic(address, formPost('a=b', ...headers));
      thrown = failing('invalid', 'invalid_client');
      const got = await ask(['authorization', 'Basic a']);
      expect([got.status, got.headers['www-authenticate']]).toEqual([401, 'Basic realm="token"']);
      expect((await ask()).status).toBe(400);
      thrown = failing('unauthenticated', 'invalid_dpop_proof');
      const proof = await ask();
      expect([proof.status, proof.headers['www-authenticate']]).toEqual([400, undefined]);
    },
  );

  it.each<[ErrorKind, ErrorCode, number]>([
    ['unauthenticated', 'invalid_token', 401],
    ['unauthenticated', 'invalid_dpop_proof', 401],
    ['unauthenticated', 'use_dpop_nonce', 401],
    ['denied', 'insufficient_scope', 403],
  ])('VCI:D19 VCI:D22 at the credential endpoint: %s %s is %i with a DPoP challenge', async (kind, code, expected) => {
    thrown = failing(kind, code);
    const got = await ENDPOINTS.credential();
    expectOAuth(got);
    expect([got.status, got.json['error']]).toEqual([expected, code]);
    expect(got.headers['www-authenticate']).toBe(`DPoP error="${code}", algs="ES256"`);
  });

  it('VCI:D22 without any credentials the challenge names no error', async () => {
    thrown = failing('unauthenticated', 'invalid_token');
    const got = await gateway.toPublic('/oidc4vci/credential', jsonPost({}));
    expectOAuth(got);
    expect([got.status, got.headers['www-authenticate']]).toEqual([401, 'DPoP algs="ES256"']);
  });

  it.each<['token' | 'credential', ErrorCode, number, string]>([
    ['token', 'use_dpop_nonce', 400, 'dpop-nonce'],
    ['credential', 'use_dpop_nonce', 401, 'dpop-nonce'],
    ['token', 'use_attestation_challenge', 400, 'oauth-client-attestation-challenge'],
  ])(
    'VCI:D18 VCI:D19 VCI:C11 at the %s endpoint: %s is %i and brings the nonce in %s',
    async (endpoint, code, expected, header) => {
      const kind = code === 'use_dpop_nonce' ? 'unauthenticated' : 'invalid';
      thrown = () => {
        throw new DomainError({ kind, code, detail: 'a sentence', freshNonce: 'the-nonce' });
      };
      const got = await ENDPOINTS[endpoint]();
      expectOAuth(got);
      expect([got.status, got.json['error'], got.headers[header]]).toEqual([expected, code, 'the-nonce']);
      expect(got.text).not.toContain('the-nonce');
    },
  );

  it('VCI:D17 other errors bring no nonce', async () => {
    thrown = () => {
      throw new DomainError({ kind: 'invalid', code: 'invalid_grant', detail: 'a sentence', freshNonce: 'the-nonce' });
    };
    const { headers } = await ENDPOINTS.token();
    expect(Object.values(headers)).not.toContain('the-nonce');
  });

  it.each<[string, ErrorCode, string]>([
    ['a code of our own', 'sd_jwt_malformed', 'invalid_request'],
    ['a management code', 'api_key_invalid', 'invalid_request'],
  ])('%s never leaves', async (_what, code, expected) => {
    thrown = failing('invalid', code);
    expect((await ENDPOINTS.credential()).json['error']).toBe(expected);
  });

  it.each<[string, () => unknown, number]>([
    ['an unknown error', () => Promise.reject(new Error('secret thing')), 500],
    ['an internal error', failing('internal', 'database_error', 'secret thing'), 500],
    ['an unavailable part', failing('unavailable', 'database_unavailable', 'secret thing'), 503],
    ['a read-only database', failing('unavailable', 'database_not_writable', 'secret thing'), 503],
    ['a lost COMMIT', failing('unavailable', 'database_outcome_unknown', 'secret thing'), 503],
    ['an answer that breaks its contract', () => ({ secret: 'thing' }), 500],
  ])('%s is server_error with a fixed sentence', async (_what, answer, expected) => {
    thrown = answer;
    const got = await ENDPOINTS.token();
    expectOAuth(got);
    expect([got.status, got.json['error']]).toEqual([expected, 'server_error']);
    expect(got.headers['retry-after'] === undefined).toBe(expected === 500);
    expect(got.text).not.toMatch(/secret|database/);
  });

  it('error_description holds only what RFC 6749 §5.2 allows, and is short', async () => {
    thrown = failing('invalid', 'invalid_grant', `"quoted" back\\slash é\n\u0000 ${'x'.repeat(1_000)}`);
    const { json } = await ENDPOINTS.token();
    expect(json['error_description']).toMatch(/^[\x20\x21\x23-\x5B\x5D-\x7E]{1,300}$/);
  });

  it('the faults of an input are not told', async () => {
    const faults = [{ path: 'inner.path', message: 'm' }];
    thrown = () => {
      throw new DomainError({ kind: 'invalid', code: 'invalid_request', detail: 'a sentence', faults });
    };
    expect((await ENDPOINTS.credential()).text).not.toContain('inner.path');
  });

  it.each(['/oidc4vci/types/%zz', '/oidc4vp/%E0%A4%A/request', '/oidc4vci/types/%'])(
    '%s is not a URL: 400 with OAuth JSON that does not repeat it',
    async (path) => {
      const got = await gateway.toPublic(path);
      expectOAuth(got);
      expect([got.status, got.json['error']]).toEqual([400, 'invalid_request']);
      expect(got.headers['x-request-id']).toMatch(/^[A-Za-z0-9_-]{22}$/);
      expect(got.text).not.toContain('oidc4');
    },
  );
});
