import {
  BATCH_SIZE,
  credentialsOf,
  newNonce,
  openCredentialEndpoint,
  type OpenEndpoint,
} from '../testing/credential-endpoint.fixture-spec';
import { NOW, PLAIN_TYPE_ID, TYPE_ID } from '../testing/issuer.fixture-spec';
import {
  createWalletKey,
  keyProof,
  tokenProof,
  withBrokenSignature,
  type WalletKey,
} from '../testing/wallet.fixture-spec';

let open: OpenEndpoint;
let key: WalletKey;
beforeAll(async () => {
  open = await openCredentialEndpoint(await createWalletKey());
  key = await createWalletKey();
});

const code = (expected: string) => expect.objectContaining({ code: expected });
const SECONDS = NOW.getTime() / 1000;
const GRANTED = { granted: [{ configurationId: TYPE_ID, credentialIdentifier: 'identifier-1' }] };

/** A wallet's mistake: the code, no signature, and an offer that stays open without a callback. */
async function refused(changes: Readonly<Record<string, unknown>>, expected: string, options = {}): Promise<void> {
  const endpoint = open(options);
  await expect(endpoint.send(changes)).rejects.toEqual(code(expected));
  expect(endpoint.asked).toEqual(['token', 'proof']);
  expect(endpoint.events).toEqual([]);
}

describe('issueCredential: the request', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['an array', []],
    ['a text', 'text'],
  ])('VCI:R3 refuses %s as body', async (_what, body) => {
    const endpoint = open();
    await expect(endpoint.issue(await endpoint.request({ body }))).rejects.toEqual(code('invalid_credential_request'));
    expect(endpoint.events).toEqual([]);
  });

  it('VCI:R4 ignores unknown members', async () => {
    await expect(open().send({ unknown: { deep: [1] }, format: 'vc+sd-jwt' })).resolves.toHaveProperty('credentials');
  });

  it.each<[string, Record<string, unknown>]>([
    ['both names', { credential_identifier: TYPE_ID }],
    ['no name', { credential_configuration_id: undefined }],
    ['a name of another type', { credential_configuration_id: [TYPE_ID] }],
  ])('VCI:R5 refuses %s', (_what, changes) => refused(changes, 'invalid_credential_request'));

  it('VCI:R6 wants the identifier where the token response named one', async () => {
    await refused({}, 'invalid_credential_request', { grant: GRANTED });
    const named = { credential_configuration_id: undefined, credential_identifier: 'identifier-1' };
    await expect(open({ grant: GRANTED }).send(named)).resolves.toHaveProperty('credentials');
  });

  it('VCI:R7 refuses a configuration that the metadata does not list', () =>
    refused({ credential_configuration_id: 'pid' }, 'unknown_credential_configuration'));

  it.each<[string, object]>([
    ['none was issued', {}],
    ['another was issued', { grant: GRANTED }],
  ])('VCI:R8 refuses an identifier that was not issued: %s', (_what, options) =>
    refused(
      { credential_configuration_id: undefined, credential_identifier: TYPE_ID },
      'unknown_credential_identifier',
      options,
    ),
  );

  it('VCI:R9 VCI:T15 refuses a configuration that the token does not cover', () =>
    refused({ credential_configuration_id: PLAIN_TYPE_ID }, 'insufficient_scope'));

  it.each<[string, unknown]>([
    ['VCI:R10 no proofs', undefined],
    ['VCI:R11 an empty object', {}],
    ['VCI:R11 two types', { jwt: ['x'], attestation: ['x'] }],
    ['VCI:R11 a type that is not advertised', { attestation: ['x'] }],
    ['VCI:R11 an empty array', { jwt: [] }],
    ['VCI:R11 a text', { jwt: 'x' }],
    ['VCI:R11 no text', { jwt: [{}] }],
    ['VCI:R11 no JWT', { jwt: ['x'] }],
  ])('%s: invalid_proof', (_what, proofs) => refused({ proofs }, 'invalid_proof'));

  it('VCI:R12 takes the proof of an older draft for none', async () => {
    const proof = { proof_type: 'jwt', jwt: await keyProof(key, newNonce()) };
    await refused({ proofs: undefined, proof }, 'invalid_proof');
  });

  it('VCI:R13 takes no more proofs than the metadata says', async () => {
    const jwt = await Promise.all(
      Array.from({ length: BATCH_SIZE + 1 }, async () => keyProof(await createWalletKey(), newNonce())),
    );
    await refused({ proofs: { jwt } }, 'invalid_credential_request');
    await refused({ proofs: { jwt: jwt.slice(0, 2) } }, 'invalid_credential_request', {
      deps: { batchSize: undefined },
    });
    await expect(open().send({ proofs: { jwt: jwt.slice(0, BATCH_SIZE) } })).resolves.toHaveProperty('credentials');
  });
});

describe('issueCredential: key proofs and their nonces', () => {
  it.each<[string, (nonce: string) => Promise<string>]>([
    ['VCI:J1 a DPoP proof', () => tokenProof(key)],
    ['VCI:J7 a broken signature', async (nonce) => withBrokenSignature(await keyProof(key, nonce))],
    ['VCI:J8 another audience', (nonce) => keyProof(key, nonce, { aud: 'https://other.example' })],
    ['VCI:J9 an old proof', (nonce) => keyProof(key, nonce, { iat: SECONDS - 301 })],
    ['VCI:J10 no nonce', (nonce) => keyProof(key, nonce, { nonce: undefined })],
    ['VCI:J10 an empty nonce', () => keyProof(key, '')],
  ])('refuses %s', async (_what, make) => {
    await refused({ proofs: { jwt: [await make(newNonce())] } }, 'invalid_proof');
  });

  it.each<[string, () => string]>([
    ['a guess', () => 'a-nonce-of-nobody'],
    ['one of another key', () => newNonce({ key: Buffer.alloc(32, 7) })],
    ['VCI:N5 a DPoP nonce', () => newNonce({ purpose: 'dpop_nonce' })],
    ['VCI:N5 an attestation challenge', () => newNonce({ purpose: 'attestation_challenge' })],
    ['VCI:N4 an expired one', () => newNonce({ now: new Date(NOW.getTime() - 301_000) })],
  ])('VCI:J10 refuses as nonce %s', async (_what, nonce) => {
    await refused({ proofs: { jwt: [await keyProof(key, nonce())] } }, 'invalid_nonce');
  });

  it('VCI:N4 takes a nonce of five minutes ago', async () => {
    const nonce = newNonce({ now: new Date(NOW.getTime() - 300_000) });
    await expect(open().send({ proofs: { jwt: [await keyProof(key, nonce)] } })).resolves.toHaveProperty('credentials');
  });

  it('takes nonces of the key before, so that keys can be replaced while wallets hold nonces', async () => {
    const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const proofs = { jwt: [await keyProof(key, newNonce({ key: oldKey }))] };
    const rotated = open({ deps: { nonceKeys: [newKey, oldKey] } });
    await expect(rotated.send({ proofs })).resolves.toHaveProperty('credentials');
  });

  it('VCI:J13 refuses all proofs for one bad one, and two of one key', async () => {
    const nonce = newNonce();
    const [good, again] = [await keyProof(key, nonce), await keyProof(key, nonce, { iss: 'x' })];
    const bad = withBrokenSignature(await keyProof(await createWalletKey(), nonce));
    await refused({ proofs: { jwt: [good, bad] } }, 'invalid_proof');
    await refused({ proofs: { jwt: [good, again] } }, 'invalid_proof');
  });

  it('VCI:J14 judges every proof before the first nonce', async () => {
    const proofs = [await keyProof(key, 'a guess'), withBrokenSignature(await keyProof(key, newNonce()))];
    await refused({ proofs: { jwt: proofs } }, 'invalid_proof');
  });

  it('VCI:J14 uses the nonces up only with the commit, each once however many proofs share it', async () => {
    const endpoint = open();
    const [shared, own] = [newNonce(), newNonce()];
    const proofs = {
      jwt: [
        await keyProof(key, shared),
        await keyProof(await createWalletKey(), shared),
        await keyProof(await createWalletKey(), own),
      ],
    };
    expect(credentialsOf(await endpoint.send({ proofs }))).toHaveLength(3);
    expect(new Set(endpoint.nonces).size).toBe(2);
    expect(endpoint.nonces).toHaveLength(2);
  });
});
