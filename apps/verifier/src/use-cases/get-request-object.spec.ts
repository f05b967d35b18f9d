import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { exportPublicJwk, jwsClaims, localSigner, parseCompactJws, verifyJws } from '@vestibule/crypto';
import { ProcessingFailure, type JsonObject } from '@vestibule/foundation';
import { compactDecrypt } from 'jose';
import {
  base64,
  createWorld,
  failsWith,
  NOW_SECONDS,
  NOW,
  payment,
  pendingRequest,
  pidQuery,
  variantOf,
  type World,
} from '../testing/verifier.fixture-spec';
import { NO_REGISTRATIONS, type Registration } from '../domain/registration';
import { registration, registrationJwt } from '../testing/registration.fixture-spec';
import { getRequestObject, type GetRequestObjectDeps, type GetRequestObjectInput } from './get-request-object';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const query = {
  credentials: [pidQuery({ claims: [{ path: ['a', null] }], require_cryptographic_holder_binding: false })],
};
const request = pendingRequest({ dcqlQuery: query });

function open(more: Partial<GetRequestObjectDeps> = {}) {
  const asked: string[] = [];
  const get = getRequestObject({
    clock: () => NOW,
    baseUrl: 'https://connector.example/w',
    findPending: (state) => Promise.resolve(state === request.state ? request : undefined),
    signerOf(clientId) {
      asked.push(clientId);
      const { chain, privateKey } = world.pki.verifier;
      return { ...localSigner(privateKey), x5c: chain.map(base64) };
    },
    registrations: () => NO_REGISTRATIONS,
    random: randomBytes,
    ...more,
  });
  return { get, asked };
}

async function fetched(input: Partial<GetRequestObjectInput> = {}, more: Partial<GetRequestObjectDeps> = {}) {
  const { requestObject } = await open(more).get({ state: request.state, flowType: 'cross-device', ...input });
  const jws = parseCompactJws(requestObject);
  verifyJws(jws, createPublicKey(world.pki.verifier.privateKey));
  return { header: jws.header, claims: jwsClaims(jws) };
}

const encryptionKey = (claims: JsonObject) => (claims['client_metadata'] as { jwks: { keys: JsonObject[] } }).jwks.keys;

describe('a request object', () => {
  it('VP:C1 VP:C3 VP:C4 VP:C11 VP:C14 VP:E17 is signed, and says what the request says', async () => {
    const { header, claims } = await fetched();
    expect(header).toMatchObject({
      typ: 'oauth-authz-req+jwt',
      alg: 'ES256',
      x5c: world.pki.verifier.chain.map(base64),
    });
    expect(claims).toMatchObject({
      client_id: request.clientId,
      state: request.state,
      response_uri: `https://connector.example/w/oidc4vp/${request.state}/response`,
      response_mode: 'direct_post.jwt',
      dcql_query: query,
    });
    for (const name of ['wallet_nonce', 'transaction_data', 'redirect_uri', 'scope', 'iss', 'sub'])
      expect(claims).not.toHaveProperty(name);
  });

  it('VP:C8 ends with the request', async () => {
    const { claims } = await fetched();
    expect(claims).toMatchObject({ iat: NOW_SECONDS, exp: request.expiresAt.getTime() / 1000 });
  });

  it('VP:D4 VP:CM2 has nonce and key of its flow, and no private key', async () => {
    for (const flowType of ['same-device', 'cross-device'] as const) {
      const { claims } = await fetched({ flowType });
      const variant = variantOf(request, flowType);
      expect(claims['nonce']).toBe(variant.nonce);
      expect(encryptionKey(claims)).toEqual([{ ...variant.publicJwk, use: 'enc', alg: 'ECDH-ES', kid: variant.kid }]);
    }
  });

  it('VP:B6 VP:B14 VP:D2 is the same when it is fetched again', async () => {
    expect((await fetched()).claims).toEqual((await fetched()).claims);
  });

  it('VP:A7 is signed by the certificate that the request was made with', async () => {
    const { get, asked } = open();
    await get({ state: request.state, flowType: 'same-device' });
    expect(asked).toEqual([request.clientId]);
    const replaced = new ProcessingFailure('access_certificate_replaced', 'replaced');
    const { get: fail } = open({
      signerOf: () => {
        throw replaced;
      },
    });
    await expect(fail({ state: request.state, flowType: 'same-device' })).rejects.toBe(replaced);
  });

  it('VP:C17 VP:F5 carries transaction data exactly as stored', async () => {
    const transactionData = payment();
    const findPending = () => Promise.resolve({ ...request, transactionData });
    const { claims } = await fetched({}, { findPending });
    expect(claims['transaction_data']).toEqual(transactionData.map(({ encoded }) => encoded));
  });
});

describe('18.5 the registration of a request', () => {
  const registered = { ...request, registrationId: 'login' };
  const findPending = () => Promise.resolve(registered);
  const known = (...all: Registration[]) => ({ policy: 'enforce' as const, byDefault: undefined, all });

  it('VP:F10 is in verifier_info as it is now, and only if the request has one', async () => {
    const verifierInfo = [{ format: 'registration_cert', data: registrationJwt() }];
    const registrations = () => known(registration({ id: 'age', verifierInfo: [] }), registration({ verifierInfo }));
    const { claims } = await fetched({}, { findPending, registrations });
    expect(claims['verifier_info']).toEqual(verifierInfo);
    expect((await fetched({}, { registrations })).claims).not.toHaveProperty('verifier_info');
  });

  it('cannot be left out: without it, the request is not served', async () => {
    const registrations = () => known(registration({ id: 'age' }));
    await expect(fetched({}, { findPending, registrations })).rejects.toMatchObject({
      code: 'registration_removed',
      kind: 'unavailable',
    });
  });
});

describe('a POST to the request address', () => {
  it('VP:B7 VP:B8 gets wallet_nonce back unchanged, and a later GET does not', async () => {
    const { claims } = await fetched({
      form: [
        ['wallet_nonce', 'a+b/ü'],
        ['foo', '1'],
      ],
    });
    expect(claims['wallet_nonce']).toBe('a+b/ü');
    expect((await fetched()).claims).not.toHaveProperty('wallet_nonce');
    expect((await fetched({ form: [] })).claims).not.toHaveProperty('wallet_nonce');
  });

  it('VP:B11 EU:P3 gets the request object encrypted if its metadata contain a key for that', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const wallet_metadata = JSON.stringify({ jwks: { keys: [{ ...exportPublicJwk(publicKey), use: 'enc' }] } });
    const form = Object.entries({ wallet_metadata });
    const { requestObject } = await open().get({ state: request.state, flowType: 'same-device', form });
    const { plaintext } = await compactDecrypt(requestObject, privateKey);
    const jws = parseCompactJws(Buffer.from(plaintext).toString());
    verifyJws(jws, createPublicKey(world.pki.verifier.privateKey));
    expect(jwsClaims(jws)).toMatchObject({ state: request.state });
  });

  it.each([
    ['VP:B9 metadata that is not JSON', [['wallet_metadata', 'notjson']]],
    [
      'VP:B10 a wallet that cannot do ES256',
      [['wallet_metadata', '{"request_object_signing_alg_values_supported":["EdDSA"]}']],
    ],
    [
      'a repeated nonce',
      [
        ['wallet_nonce', 'a'],
        ['wallet_nonce', 'b'],
      ],
    ],
  ] as [string, [string, string][]][])('%s is invalid_request', async (_title, form) => {
    await expect(fetched({ form })).rejects.toEqual(failsWith('invalid_request'));
  });
});

describe('a request that cannot be fetched', () => {
  it.each([undefined, '', 'Same-Device', 'toString'])(
    'VP:B12 with flow_type %j is invalid_request',
    async (flowType) => {
      await expect(fetched({ flowType })).rejects.toEqual(failsWith('invalid_request'));
    },
  );

  it('VP:B12 that is unknown, ended or expired is request_not_found', async () => {
    await expect(fetched({ state: 'unknown' })).rejects.toMatchObject({ code: 'request_not_found', kind: 'not_found' });
  });

  it('VP:P10 is looked for at the time of the call', async () => {
    const times: Date[] = [];
    await fetched({}, { findPending: (_state, now) => Promise.resolve(times.push(now) > 0 ? request : undefined) });
    expect(times).toEqual([NOW]);
  });
});
