import { randomBytes } from 'node:crypto';
import { OAuthError } from '@vestibule/oauth';
import { createAttestedWallet, CLIENT_ID, type AttestedWallet } from '../testing/attestation.fixture-spec';
import {
  credentialsOf,
  newNonce,
  openCredentialEndpoint,
  TOKEN,
  type OpenEndpoint,
} from '../testing/credential-endpoint.fixture-spec';
import { NOW, TYPE_ID, TYPES } from '../testing/issuer.fixture-spec';
import { createWalletKey, credentialProof, keyProof, type WalletKey } from '../testing/wallet.fixture-spec';

let open: OpenEndpoint;
let wallet: AttestedWallet;
let keys: readonly WalletKey[];
beforeAll(async () => {
  open = await openCredentialEndpoint(await createWalletKey());
  wallet = await createAttestedWallet();
  keys = await Promise.all(Array.from({ length: 7 }, () => createWalletKey()));
});

const code = (expected: string) => expect.objectContaining({ code: expected });
const confirmed = (credential: string) =>
  (JSON.parse(Buffer.from(credential.split('.')[1] ?? '', 'base64url').toString()) as { cnf: { jwk: { x: string } } })
    .cnf.jwk.x;
const xOf = (some: readonly WalletKey[]) => some.map(({ jwk }) => jwk.x);
const attesting = () => open({ deps: { keyAttesters: wallet.attesterKeys } });

describe('issueCredential with attested keys', () => {
  it('VCI:K13 VCI:L2 gives one credential for each attested key, up to the batch size', async () => {
    const nonce = newNonce();
    const three = keys.slice(0, 3);
    const few = await attesting().send({ proofs: { attestation: [await wallet.attestKeys(three, { nonce })] } });
    expect(credentialsOf(few).map(confirmed)).toEqual(xOf(three));
    const all = await attesting().send({ proofs: { attestation: [await wallet.attestKeys(keys, { nonce })] } });
    expect(credentialsOf(all).map(confirmed)).toEqual(xOf(keys.slice(0, 5)));
  });

  it('VCI:K13 VCI:P3 gives no more than the reuse policy of the type has', async () => {
    const type = TYPES.get(TYPE_ID);
    if (!type) throw new TypeError('the fixture has no such type');
    const limitedTo = (mostCredentials: number) => {
      const types = new Map([[TYPE_ID, { ...type, mostCredentials }]]);
      return open({ deps: { types, keyAttesters: wallet.attesterKeys } });
    };
    for (const [most, given] of [
      [1, 1],
      [3, 3],
      [100, 5],
    ] as const) {
      const attestation = [await wallet.attestKeys(keys, { nonce: newNonce() })];
      expect(credentialsOf(await limitedTo(most).send({ proofs: { attestation } }))).toHaveLength(given);
    }
    const { send, proofs } = limitedTo(2);
    const three = await proofs(...keys.slice(0, 3).map((key) => keyProof(key, newNonce())));
    await expect(send({ proofs: three })).rejects.toEqual(code('invalid_credential_request'));
  });

  it('VCI:K8 VCI:K9 wants a good nonce in the attestation', async () => {
    const { send, nonces } = attesting();
    const spoilt = newNonce({ key: randomBytes(32) });
    const unsigned = { proofs: { attestation: [await wallet.attestKeys(keys, { nonce: spoilt })] } };
    await expect(send(unsigned)).rejects.toEqual(code('invalid_nonce'));
    await send({ proofs: { attestation: [await wallet.attestKeys(keys, { nonce: newNonce() })] } });
    expect(nonces).toHaveLength(1);
  });

  it('VCI:R11 does not take attestations where nobody may make them', async () => {
    const attestation = await wallet.attestKeys(keys, { nonce: newNonce() });
    await expect(open().send({ proofs: { attestation: [attestation] } })).rejects.toEqual(code('invalid_proof'));
  });

  it.each<readonly [string, (attested: string) => Promise<Readonly<Record<string, string[]>>>]>([
    ['as a proof of its own', async (attested) => ({ attestation: [attested] })],
    [
      'in the header of a proof',
      async (key_attestation) => ({ jwt: [await keyProof(keys[0] as WalletKey, newNonce(), {}, { key_attestation })] }),
    ],
  ])('VCI:K14 gives nothing for keys whose attestation is refused for its status, %s', async (_where, proofsWith) => {
    const asked: unknown[] = [];
    const checkStatus = (about: unknown) => {
      asked.push(about);
      return Promise.reject(new OAuthError('invalid_proof', 'attestation_not_valid'));
    };
    const stage = open({ deps: { keyAttesters: wallet.attesterKeys, checkStatus } });
    const [status, key_storage_status] = ['own', 'maintained'];
    const attested = await wallet.attestKeys(keys, { nonce: newNonce(), status, key_storage_status });
    const refused = expect.objectContaining({ code: 'invalid_proof', reason: 'attestation_not_valid' });
    await expect(stage.send({ proofs: await proofsWith(attested) })).rejects.toEqual(refused);
    const read = { header: expect.any(Object), own: status, maintained: key_storage_status };
    expect(asked).toEqual([{ kind: 'key', status: read, type: TYPES.get(TYPE_ID), now: NOW, isDeferred: false }]);
    expect([stage.events, stage.nonces]).toEqual([[], []]);
    expect(stage.asked).not.toContain('sign');
  });

  it('VCI:K14 judges the status of keys for a wallet that waits', async () => {
    const asked: boolean[] = [];
    const checkStatus = async ({ isDeferred }: { isDeferred: boolean }) => void asked.push(isDeferred);
    const deps = { keyAttesters: wallet.attesterKeys, checkStatus };
    const attested = () => wallet.attestKeys(keys.slice(0, 1), { nonce: newNonce() });
    for (const deferral of [undefined, { state: 'waiting' as const }]) {
      const stage = open({ deps, grant: deferral ? { deferral } : {} });
      await stage.send({ proofs: { attestation: [await attested()] } });
    }
    expect(asked).toEqual([false, true]);
  });

  it('VCI:K14 VCI:F3 promises it with what the attestations of its keys say about their status', async () => {
    const stage = open({ deps: { keyAttesters: wallet.attesterKeys }, grant: { deferral: { state: 'waiting' } } });
    const claims = { nonce: newNonce(), status: 'own', key_storage_status: 'maintained' };
    await stage.send({ proofs: { attestation: [await wallet.attestKeys(keys.slice(0, 2), claims)] } });
    const statuses = [expect.objectContaining({ own: 'own', maintained: 'maintained', acceptedAt: NOW })] as unknown;
    expect(stage.promises).toMatchObject([{ keys: [{}, {}], statuses }]);
  });

  it('EU:K4 the profile eudi takes a proof with the first attested key alone, others with each', async () => {
    const type = TYPES.get(TYPE_ID);
    if (!type) throw new TypeError('the fixture has no such type');
    const sent = async (profile: 'eudi' | 'open', signer: number) => {
      const types = new Map([[TYPE_ID, { ...type, issuer: { ...type.issuer, profile } }]]);
      const nonce = newNonce();
      const key_attestation = await wallet.attestKeys(keys.slice(0, 2), { nonce });
      const jwt = [await keyProof(keys[signer] as WalletKey, nonce, {}, { key_attestation })];
      return open({ deps: { types, keyAttesters: wallet.attesterKeys } }).send({ proofs: { jwt } });
    };
    expect(credentialsOf(await sent('eudi', 0))).toHaveLength(2);
    expect(credentialsOf(await sent('open', 1))).toHaveLength(2);
    const refused = expect.objectContaining({ code: 'invalid_proof', reason: 'proof_key_not_first' });
    await expect(sent('eudi', 1)).rejects.toEqual(refused);
  });

  it('VCI:K11 VCI:M17 refuses a plain proof for a type that demands an attestation, and leaves the offer open', async () => {
    const type = TYPES.get(TYPE_ID);
    if (!type) throw new TypeError('the fixture has no such type');
    const keyAttestation = { keyStorage: ['iso_18045_moderate'], userAuthentication: [] };
    const types = new Map([[TYPE_ID, { ...type, keyAttestation }]]);
    const { send, events } = open({ deps: { types, keyAttesters: wallet.attesterKeys } });
    await expect(send()).rejects.toEqual(code('invalid_proof'));
    expect(events).toEqual([]);
    const claims = { nonce: newNonce(), key_storage: ['iso_18045_moderate'] };
    await send({ proofs: { attestation: [await wallet.attestKeys(keys, claims)] } });
    expect(events).toHaveLength(1);
  });
});

it('VCI:J2 EU:K8 takes key proofs of the algorithms of the type alone', async () => {
  const type = TYPES.get(TYPE_ID);
  if (!type) throw new TypeError('the fixture has no such type');
  const types = new Map([[TYPE_ID, { ...type, proofAlgorithms: ['ES384' as const] }]]);
  await expect(open({ deps: { types } }).send()).rejects.toEqual(code('invalid_proof'));
});

it('has a wallet come back where the type, and so the algorithms that it takes, is not configured', async () => {
  const key = await createWalletKey('P-384');
  const jwt = [await keyProof(key, newNonce(), {}, { alg: 'ES384' })];
  const refused = open({ deps: { types: new Map() } }).send({ proofs: { jwt } });
  await expect(refused).rejects.toEqual(code('credential_type_missing'));
});

describe('issueCredential for a wallet that authenticated', () => {
  it('VCI:J11 wants its name in iss, if there is one', async () => {
    const stage = open({ grant: { clientId: CLIENT_ID } });
    const proofs = async (iss: string | undefined) => ({
      proofs: { jwt: [await keyProof(stage.holder, newNonce(), { iss })] },
    });
    await expect(stage.send(await proofs('https://other.example'))).rejects.toEqual(code('invalid_proof'));
    await stage.send(await proofs(CLIENT_ID));
    await stage.send(await proofs(undefined));
    expect(stage.events).toHaveLength(2);
  });
});

describe('DPoP nonces at the credential endpoint', () => {
  it('VCI:D19 VCI:D20 asks for a nonce, whose proof is not spent, and takes one of the token endpoint', async () => {
    const stage = open({ deps: { demandsDpopNonces: true } });
    const failure: unknown = await stage.send().catch((error: unknown) => error);
    expect(failure).toEqual(code('use_dpop_nonce'));
    expect(stage.asked).toEqual(['token']);
    const fresh = newNonce({ purpose: 'dpop_nonce' });
    const dpop = [await credentialProof(stage.dpopKey, TOKEN, { nonce: fresh })];
    expect(credentialsOf(await stage.issue(await stage.request({ dpop })))).toHaveLength(1);
  });

  it('VCI:D19 brings the nonce that it asks for', async () => {
    const stage = open({ deps: { demandsDpopNonces: true } });
    const failure = (await stage.send().catch((error: unknown) => error)) as { freshNonce: string };
    const dpop = [await credentialProof(stage.dpopKey, TOKEN, { nonce: failure.freshNonce })];
    expect(credentialsOf(await stage.issue(await stage.request({ dpop })))).toHaveLength(1);
  });
});
