import { formPost, jsonPost, startGateway, type Gateway, type Sent } from '../testing/gateway.stage';

const TOKEN = 'issuer.token.issue';
const CREDENTIAL = 'issuer.credential.issue';
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({
    answers: {
      [TOKEN]: { access_token: 'opaque', token_type: 'DPoP', expires_in: 300 },
      [CREDENTIAL]: { credentials: [{ credential: 'eyJ~' }] },
    },
  });
});
afterAll(() => gateway.close());

const token = (sent: Sent) => gateway.toPublic('/oidc4vci/token', sent);
const credential = (sent: Sent) => gateway.toPublic('/oidc4vci/credential', sent);

describe('what reaches the issuer', () => {
  it('VCI:C1 every header of a wallet attestation, in any case of its name', async () => {
    const repeated: [string, string][] = [
      ['OAuth-Client-Attestation', 'one'],
      ['oauth-client-attestation', 'two'],
      ['OAuth-Client-Attestation-PoP', 'three'],
    ];
    await token(formPost('a=b', ...repeated));
    const { clientAttestation, clientAttestationPop } = gateway.questionOf(TOKEN) ?? {};
    expect([clientAttestation, clientAttestationPop]).toEqual([['one', 'two'], ['three']]);
  });

  it('VCI:T3 every form field in order, repeated names included', async () => {
    await token(formPost('grant_type=a&grant_type=b&pre-authorized_code%5Bx%5D=1&tx_code=%C3%A9+%2B'));
    expect(gateway.questionOf(TOKEN)?.['form']).toEqual([
      ['grant_type', 'a'],
      ['grant_type', 'b'],
      ['pre-authorized_code[x]', '1'],
      ['tx_code', 'é +'],
    ]);
  });

  it('VCI:D1 every DPoP header, in any case of its name', async () => {
    await token(formPost('a=b', ['DPoP', 'one'], ['dpop', 'two']));
    expect(gateway.questionOf(TOKEN)?.['dpop']).toEqual(['one', 'two']);
    await token(formPost('a=b', ['DPOP', 'one, two']));
    expect(gateway.questionOf(TOKEN)?.['dpop']).toEqual(['one, two']);
    await token(formPost('a=b'));
    expect(gateway.questionOf(TOKEN)?.['dpop']).toEqual([]);
  });

  it('VCI:T17 every Authorization header of a token request, an empty one too', async () => {
    await token(formPost('a=b', ['Authorization', 'Basic a'], ['authorization', 'Basic b']));
    expect(gateway.questionOf(TOKEN)?.['authorization']).toEqual(['Basic a', 'Basic b']);
    await token(formPost('a=b', ['Authorization', '']));
    expect(gateway.questionOf(TOKEN)?.['authorization']).toEqual(['']);
    await token(formPost('a=b'));
    expect(gateway.questionOf(TOKEN)?.['authorization']).toEqual([]);
  });

  it('VCI:T17 no more values of a header field than the contracts take', async () => {
    const many = Array.from({ length: 50 }, (_, at): [string, string] => ['authorization', `Basic ${at}`]);
    expect((await token(formPost('a=b', ...many))).status).toBe(200);
    expect(gateway.questionOf(TOKEN)?.['authorization']).toHaveLength(10);
  });

  it('VCI:D15 every Authorization header, though Node keeps only the first', async () => {
    await credential(
      jsonPost({}, ['Authorization', 'DPoP a'], ['authorization', 'Bearer a'], ['DPoP', 'p'], ['DPoP', 'q']),
    );
    const { authorization, dpop } = gateway.questionOf(CREDENTIAL) ?? {};
    expect([authorization, dpop]).toEqual([
      ['DPoP a', 'Bearer a'],
      ['p', 'q'],
    ]);
  });

  it('VCI:D14 no token from the query or a form', async () => {
    await gateway.toPublic(
      '/oidc4vci/credential?access_token=the-access-token',
      formPost('access_token=the-access-token'),
    );
    expect(JSON.stringify(gateway.questionOf(CREDENTIAL))).not.toContain('the-access-token');
  });

  it.each<[string, Sent, unknown]>([
    [
      'an object with unknown members',
      jsonPost({ credential_configuration_id: 'x', y: [1] }),
      { credential_configuration_id: 'x', y: [1] },
    ],
    ['an array', jsonPost([]), []],
    ['null', jsonPost('null'), null],
    ['no JSON', jsonPost('{'), undefined],
    ['a member twice', jsonPost('{"a":1,"a":1}'), undefined],
    ['a form', formPost('a=b'), undefined],
    ['nothing', { method: 'POST' }, undefined],
  ])(
    'VCI:R1 VCI:R2 VCI:R3 a credential request of %s, so that the token is judged first',
    async (_what, sent, body) => {
      expect((await credential(sent)).status).toBe(200);
      expect(gateway.questionOf(CREDENTIAL)?.['body']).toEqual(body);
    },
  );

  it.each<[string, Sent]>([
    ['JSON', jsonPost({ grant_type: 'x' })],
    ['text', { method: 'POST', headers: [['content-type', 'text/plain']], body: 'grant_type=x' }],
    ['of a malformed media type', { method: 'POST', headers: [['content-type', '¤']], body: 'grant_type=x' }],
    ['absent', { method: 'POST' }],
  ])('VCI:T1 no token request whose body is %s: 400 invalid_request', async (_what, sent) => {
    const before = gateway.asked.length;
    const { status, json, headers } = await token(sent);
    expect([status, json['error'], headers['cache-control']]).toEqual([400, 'invalid_request', 'no-store']);
    expect(gateway.asked).toHaveLength(before);
  });

  it('VCI:R16 no body beyond 1 MiB: 413 with OAuth JSON', async () => {
    const ofSize = (size: number) => jsonPost(`{"a":"${'x'.repeat(size - 8)}"}`);
    expect((await credential(ofSize(1_048_576))).status).toBe(200);
    const { status, json } = await credential(ofSize(1_048_577));
    expect([status, json['error']]).toEqual([413, 'invalid_request']);
  });
});
