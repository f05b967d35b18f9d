import { CompactEncrypt, importJWK } from 'jose';
import { sha256 } from '@vestibule/crypto';
import { requestEncryptionKeys } from '@vestibule/oid4vci';
import { createAttestedWallet } from '../testing/attestation.fixture-spec';
import {
  BATCH_SIZE,
  credentialsOf,
  failsWith as code,
  newNonce,
  openForHolders,
  REQUEST_ENCRYPTION_SECRET,
  TOKEN,
  type EndpointOptions,
  type OpenEndpoint,
} from '../testing/credential-endpoint.fixture-spec';
import { NOW, TYPES } from '../testing/issuer.fixture-spec';
import { credentialProof, keyProof, type WalletKey } from '../testing/wallet.fixture-spec';

let open: OpenEndpoint;
let keys: WalletKey[];
beforeAll(async () => {
  ({ open, holders: keys } = await openForHolders(BATCH_SIZE));
});

const digestOf = (nonce: string) => sha256(Buffer.from(nonce, 'base64url'));
const hexOf = (nonce: string) => digestOf(nonce).toString('hex');
const withStatus = new Map([...TYPES].map(([id, type]) => [id, { ...type, hasStatus: true }]));

/** An endpoint of a type with status whose database knows these nonces as used. */
function endpointAfter(used: readonly string[], { deps = {}, grant = {} }: EndpointOptions = {}) {
  const usedNonces = used.map(digestOf);
  return open({ deps: { types: withStatus, ...deps }, grant: { usedNonces, ...grant } });
}

describe('issueCredential: a nonce that was used before', () => {
  it('VCI:N4 VCI:J10 is known from the statement that reads the grant: nothing is reserved, signed or spent', async () => {
    const nonce = newNonce();
    const endpoint = endpointAfter([nonce]);
    await expect(endpoint.send({ proofs: { jwt: [await keyProof(endpoint.holder, nonce)] } })).rejects.toEqual(
      code('invalid_nonce'),
    );
    expect(endpoint.asked).toEqual(['token', 'proof']);
    expect(endpoint.presented).toEqual([hexOf(nonce)]);
  });

  it('VCI:N4 is one too many in a batch', async () => {
    const [good, used] = [newNonce(), newNonce()];
    const endpoint = endpointAfter([used]);
    const nonces = keys.map((_, at) => (at === 3 ? used : good));
    const jwt = await Promise.all(keys.map((key, at) => keyProof(key, nonces[at] as string)));
    await expect(endpoint.send({ proofs: { jwt } })).rejects.toEqual(code('invalid_nonce'));
    expect(endpoint.asked).toEqual(['token', 'proof']);
    expect(new Set(endpoint.presented)).toEqual(new Set([hexOf(good), hexOf(used)]));
  });

  it('VCI:N4 VCI:E1 is known in an encrypted request too', async () => {
    const nonce = newNonce();
    const endpoint = endpointAfter([nonce]);
    const { published } = requestEncryptionKeys([REQUEST_ENCRYPTION_SECRET], NOW);
    const body = await endpoint.body({ proofs: { jwt: [await keyProof(endpoint.holder, nonce)] } });
    const jwt = await new CompactEncrypt(Buffer.from(JSON.stringify(body)))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', kid: published.kid })
      .encrypt(await importJWK({ ...published.publicJwk, alg: 'ECDH-ES' }, 'ECDH-ES'));
    const message = { ...(await endpoint.request({ jwt })), body: undefined };
    await expect(endpoint.issue(message)).rejects.toEqual(code('invalid_nonce'));
    expect(endpoint.asked).toEqual(['token', 'proof']);
  });

  it.each(['jwt header', 'attestation proof'] as const)(
    'VCI:N4 VCI:K8 VCI:K9 is known in a key attestation too: %s',
    async (place) => {
      const wallet = await createAttestedWallet();
      const [nonce, fresh] = [newNonce(), newNonce()];
      const endpoint = endpointAfter([nonce], { deps: { keyAttesters: wallet.attesterKeys } });
      const attestation = await wallet.attestKeys([endpoint.holder], { nonce });
      const proofs =
        place === 'jwt header'
          ? { jwt: [await keyProof(endpoint.holder, fresh, {}, { key_attestation: attestation })] }
          : { attestation: [attestation] };
      await expect(endpoint.send({ proofs })).rejects.toEqual(code('invalid_nonce'));
      expect(endpoint.asked).toEqual(['token', 'proof']);
      expect(endpoint.presented).toContain(hexOf(nonce));
    },
  );

  it('VCI:N4 VCI:P5 promises nothing where the credential comes later', async () => {
    const nonce = newNonce();
    const endpoint = endpointAfter([nonce], { grant: { deferral: { state: 'waiting' } } });
    await expect(endpoint.send({ proofs: { jwt: [await keyProof(endpoint.holder, nonce)] } })).rejects.toEqual(
      code('invalid_nonce'),
    );
    expect(endpoint.promises).toEqual([]);
  });

  it('VCI:J14 is told after what is wrong with the proofs, and these after the token', async () => {
    const nonce = newNonce();
    const jwt = [await keyProof(keys[0] as WalletKey, nonce, { aud: 'https://other.example' })];
    await expect(endpointAfter([nonce]).send({ proofs: { jwt } })).rejects.toEqual(code('invalid_proof'));
    const stranger = { findGrant: async () => undefined };
    for (const proofs of [{ jwt }, { jwt: ['no proof'] }, 'no proofs', undefined]) {
      const endpoint = endpointAfter([nonce], { deps: stranger });
      await expect(endpoint.send({ proofs })).rejects.toEqual(code('invalid_token'));
    }
    const undecryptable = { authorization: [`DPoP ${TOKEN}`], dpop: [], jwt: 'a.b.c.d.e' };
    await expect(endpointAfter([], { deps: stranger }).issue(undecryptable)).rejects.toEqual(code('invalid_token'));
  });

  it('VCI:R2 what is wrong with the message is told when the token was judged, and costs the wallet a proof', async () => {
    const endpoint = endpointAfter([]);
    const dpop = [await credentialProof(endpoint.dpopKey, TOKEN)];
    const message = { authorization: [`DPoP ${TOKEN}`], dpop, jwt: 'a.b.c.d.e' };
    await expect(endpoint.issue(message)).rejects.toEqual(code('invalid_credential_request'));
    expect(endpoint.asked).toEqual(['token', 'proof']);
  });

  it('looks no nonce up that is not of this issuer, and no more than a batch may bring', async () => {
    const guesses = ['a guess', newNonce({ purpose: 'dpop_nonce' }), newNonce({ key: Buffer.alloc(32, 7) })];
    const endpoint = endpointAfter([]);
    const jwt = await Promise.all(guesses.map((nonce, at) => keyProof(keys[at] as WalletKey, nonce)));
    await expect(endpoint.send({ proofs: { jwt } })).rejects.toEqual(code('invalid_nonce'));
    expect(endpoint.presented).toEqual([]);
    const many = endpointAfter([]);
    const proofs = await Promise.all(
      Array.from({ length: 3 * BATCH_SIZE }, () => keyProof(keys[0] as WalletKey, newNonce())),
    );
    await expect(many.send({ proofs: { jwt: proofs } })).rejects.toEqual(code('invalid_credential_request'));
    expect(many.presented).toHaveLength(BATCH_SIZE);
  });

  it('that somebody else used is nothing to this wallet', async () => {
    const endpoint = endpointAfter([newNonce()]);
    expect(credentialsOf(await endpoint.send())).toHaveLength(1);
  });
});

describe('issueCredential: a batch', () => {
  it('VCI:L2 lets others run between two credentials, and names the entries of all that exist', async () => {
    const endpoint = endpointAfter([]);
    const nonce = newNonce();
    const jwt = await Promise.all(keys.map((key) => keyProof(key, nonce)));
    expect(credentialsOf(await endpoint.send({ proofs: { jwt } }))).toHaveLength(BATCH_SIZE);
    const rests = Array.from({ length: BATCH_SIZE - 1 }, () => 'rest');
    expect(endpoint.asked).toEqual(['token', 'proof', 'sign', 'reserve', ...rests, 'complete']);
    expect(endpoint.completed.map(({ idx }) => idx)).toEqual([...keys.keys()]);
  });

  it('a signature that fails while others are prepared ends the offer, and nothing else', async () => {
    const rejected: unknown[] = [];
    const note = (reason: unknown) => void rejected.push(reason);
    process.on('unhandledRejection', note);
    const signer = {
      requireReady: () => undefined,
      sign: () => Promise.reject(new Error('no signature')),
      x5c: ['MIIB'],
      certificateNotBefore: new Date('2026-01-01T00:00:00Z'),
      chainEndsAt: new Date('2036-01-01T00:00:00Z'),
    };
    const wait = () => new Promise<void>((resolve) => setImmediate(resolve));
    const endpoint = endpointAfter([], { deps: { signerAt: () => signer, letOthersRun: wait } });
    const nonce = newNonce();
    const jwt = await Promise.all(keys.map((key) => keyProof(key, nonce)));
    await expect(endpoint.send({ proofs: { jwt } })).rejects.toEqual(code('credential_request_denied'));
    await wait();
    process.off('unhandledRejection', note);
    expect([rejected, endpoint.events.map(({ status }) => status)]).toEqual([[], ['FAILED']]);
  });
});
