import { randomBytes } from 'node:crypto';
import { createAttestedWallet, CLIENT_ID, type AttestedWallet } from '../testing/attestation.fixture-spec';
import { ISSUER_URL, NOW } from '../testing/issuer.fixture-spec';
import { authenticateClient, type ChallengePolicy } from './authenticate-client';

let wallet: AttestedWallet;
beforeAll(async () => {
  wallet = await createAttestedWallet();
});

const authenticating = (challenge: ChallengePolicy) =>
  authenticateClient({
    random: randomBytes,
    issuerUrl: ISSUER_URL,
    nonceKeys: [randomBytes(32)],
    clientAuthentication: { required: true, attesterKeys: wallet.attesterKeys, challenge },
    reportUnreadAttestation: () => undefined,
  });
const presented = async (...sent: Parameters<AttestedWallet['headers']>) => {
  const { clientAttestation: attestation, clientAttestationPop: pop } = await wallet.headers(...sent);
  return { attestation, pop, clientId: undefined };
};

describe('authenticateClient', () => {
  it('VCI:C11 asks for no challenge where none is wanted, and for one where it is', async () => {
    const client = await presented(undefined);
    expect((await authenticating('off')(client, NOW)).clientId).toBe(CLIENT_ID);
    const wanted = { code: 'use_attestation_challenge' };
    await expect(authenticating('required')(client, NOW)).rejects.toMatchObject(wanted);
  });

  it('VCI:C15 hands on what the attestation says about its status', async () => {
    const claims = { status: { status_list: { idx: 1 } }, client_status: { exp: 1 } };
    const { status } = await authenticating('off')(await presented(undefined, {}, claims), NOW);
    expect(status).toMatchObject({ own: claims.status, maintained: claims.client_status });
  });

  it('VCI:C10 has the proof remembered for longer than it is taken', async () => {
    const client = await presented(undefined);
    const { proofs } = await authenticating('off')(client, NOW);
    expect(proofs.map(({ kind }) => kind)).toEqual(['attestation_proof']);
    const forgottenAt = proofs[0]?.expiresAt ?? NOW;
    const refused = { code: 'invalid_client', reason: 'iat_too_old' };
    await expect(authenticating('off')(client, forgottenAt)).rejects.toMatchObject(refused);
  });
});
