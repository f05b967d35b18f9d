import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { exportJWK, SignJWT } from 'jose';
import { offerCredential } from './flows';
import { exchange } from './handmade-wallet';
import { ISSUANCE, startStage, type Stage } from './stage';

const GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
const ISSUER_PATH = '/tenants/one';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ apps: ISSUANCE, replicas: { issuer: 2 }, issuerPath: ISSUER_PATH });
});
afterAll(() => stage?.stop());

const endpoint = (name: string) => `${stage.stack.issuerUrl}/oidc4vci/${name}`;
const freshNonce = async () =>
  (JSON.parse((await exchange(endpoint('nonce'), { method: 'POST' })).text) as { c_nonce: string }).c_nonce;
const errorIn = (text: string) => (JSON.parse(text) as { error?: string }).error;

async function dpopProof(url: string, accessToken?: string): Promise<string> {
  const ath = accessToken === undefined ? {} : { ath: createHash('sha256').update(accessToken).digest('base64url') };
  return new SignJWT({ htm: 'POST', htu: url, jti: randomUUID(), iat: Math.floor(Date.now() / 1000), ...ath })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey) })
    .sign(privateKey);
}

/** The pre-authorized code of a new offer, as a wallet reads it. */
async function offeredCode(extra: object = {}): Promise<string> {
  const { uri } = await offerCredential(stage, extra);
  const { text } = await exchange(new URL(uri).searchParams.get('credential_offer_uri') ?? '');
  const { grants } = JSON.parse(text) as { grants: Record<string, Record<string, string>> };
  return grants[GRANT]?.['pre-authorized_code'] ?? '';
}

const requestToken = (code: string, dpop: string, more: Record<string, string> = {}) =>
  exchange(endpoint('token'), {
    method: 'POST',
    headers: { dpop },
    body: new URLSearchParams({ grant_type: GRANT, 'pre-authorized_code': code, ...more }),
  });

describe('an issuer whose identifier has a path, with two replicas', () => {
  it('VCI:U3 VCI:U4 VCI:U5 a wallet finds its documents between host and path, and gets ten credentials', async () => {
    const offer = await offerCredential(stage);
    expect(await stage.createWallet().redeemOffer(offer.uri, { batch: 10 })).toHaveLength(10);
    const { origin } = new URL(stage.stack.issuerUrl);
    for (const name of ['openid-credential-issuer', 'oauth-authorization-server', 'jwt-vc-issuer']) {
      const inserted = await exchange(`${origin}/.well-known/${name}${ISSUER_PATH}`);
      expect([name, inserted.status]).toEqual([name, 200]);
      const body = JSON.parse(inserted.text) as Record<string, unknown>;
      expect(body['credential_issuer'] ?? body['issuer']).toBe(stage.stack.issuerUrl);
      const appended = await exchange(`${origin}${ISSUER_PATH}/.well-known/${name}`);
      expect([name, appended.status]).toEqual([name, 404]);
    }
  });

  it('VCI:N4 a nonce of one replica is good at the other, and once', async () => {
    const wallet = stage.createWallet();
    const nonce = await freshNonce();
    const [first, second] = [await offerCredential(stage), await offerCredential(stage)];
    expect(await wallet.redeemOffer(first.uri, { batch: 3, faults: { nonce } })).toHaveLength(3);
    await expect(wallet.redeemOffer(second.uri, { faults: { nonce } })).rejects.toMatchObject({
      error: 'invalid_nonce',
    });
    expect((await stage.management('GET', `/offers/${second.offerId}`)).body['status']).toBe('OFFER_CREATED');
  });

  it('VCI:D10 of 20 requests with one DPoP proof, one is heard', async () => {
    const code = await offeredCode({ tx_code: { length: 8 } });
    const proof = await dpopProof(endpoint('token'));
    // No code has letters: each of them is a wrong one, and five that are heard would end the offer.
    const ask = () => requestToken(code, proof, { tx_code: 'wrong' });
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    const errors = answers.map(({ text }) => errorIn(text));
    expect(errors.filter((error) => error === 'invalid_grant')).toHaveLength(1);
    expect(errors.filter((error) => error === 'invalid_dpop_proof')).toHaveLength(19);
  });

  it('VCI:D10 a DPoP proof sent with a code that nobody knows is not spent', async () => {
    const proof = await dpopProof(endpoint('token'));
    const unknown = await Promise.all(Array.from({ length: 3 }, () => requestToken('unknown', proof)));
    expect(unknown.map(({ text }) => errorIn(text))).toEqual(Array(3).fill('invalid_grant'));
    expect((await requestToken(await offeredCode(), proof)).status).toBe(200);
  });

  it('VCI:T12 VCI:R6 VCI:R8 a wallet that names what it wants gets identifiers, and asks with them alone', async () => {
    const details = [{ type: 'openid_credential', credential_configuration_id: 'identity-card' }];
    const code = await offeredCode();
    const wrong = JSON.stringify([{ ...details[0], credential_configuration_id: 'other' }]);
    const refused = await requestToken(code, await dpopProof(endpoint('token')), { authorization_details: wrong });
    expect([refused.status, errorIn(refused.text)]).toEqual([400, 'invalid_authorization_details']);
    const answer = await requestToken(code, await dpopProof(endpoint('token')), {
      authorization_details: JSON.stringify(details),
    });
    const { access_token: token, authorization_details: granted } = JSON.parse(answer.text) as {
      access_token: string;
      authorization_details: { credential_identifiers: string[] }[];
    };
    expect(granted).toEqual([{ ...details[0], credential_identifiers: [expect.any(String)] }]);
    const ask = async (body: object) =>
      exchange(endpoint('credential'), {
        method: 'POST',
        headers: {
          authorization: `DPoP ${token}`,
          dpop: await dpopProof(endpoint('credential'), token),
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
    const byConfiguration = await ask({ credential_configuration_id: 'identity-card' });
    expect([byConfiguration.status, errorIn(byConfiguration.text)]).toEqual([400, 'invalid_credential_request']);
    const byStranger = await ask({ credential_identifier: 'not-mine' });
    expect(errorIn(byStranger.text)).toBe('unknown_credential_identifier');
    const proof = await new SignJWT({
      aud: stage.stack.issuerUrl,
      iat: Math.floor(Date.now() / 1000),
      nonce: await freshNonce(),
    })
      .setProtectedHeader({ alg: 'ES256', typ: 'openid4vci-proof+jwt', jwk: await exportJWK(publicKey) })
      .sign(privateKey);
    const [identifier] = granted[0]?.credential_identifiers ?? [];
    const issued = await ask({ credential_identifier: identifier, proofs: { jwt: [proof] } });
    expect(issued.status).toBe(200);
  });
});
