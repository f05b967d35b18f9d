import type { IssuerMetadataResult, Openid4vciClient } from '@openid4vc/openid4vci';
import type { KeyAttestation, RedeemOptions } from './issuance-options';
import { insistNoStore, type Journey } from './journey';
import type { WalletKey } from './keys';
import type { WalletState } from './wallet-state';

/** The key proofs of one credential request, in the order of the keys. */
export type KeyProofs = Readonly<Record<string, readonly unknown[]>>;

interface KeyRun {
  readonly wallet: WalletState;
  readonly issuerMetadata: IssuerMetadataResult;
  readonly options: RedeemOptions;
}

interface ProofRun extends KeyRun {
  readonly journey: Journey;
  readonly client: Openid4vciClient;
}

/** A fresh `c_nonce` (OpenID4VCI 1.0 §7), or undefined for an issuer without a nonce endpoint. */
async function requestNonce({ journey, client, issuerMetadata, options }: ProofRun): Promise<string | undefined> {
  if (options.faults?.nonce !== undefined) return options.faults.nonce;
  if (!issuerMetadata.credentialIssuer.nonce_endpoint) return undefined;
  return journey.step('nonce', async () => {
    const { c_nonce } = await client.requestNonce({ issuerMetadata });
    insistNoStore(journey.last());
    return c_nonce;
  });
}

async function attestationOf(
  attestation: KeyAttestation | undefined,
  keys: readonly WalletKey[],
  nonce: string | undefined,
): Promise<string | undefined> {
  return attestation?.attest(
    keys.map((key) => key.publicJwk),
    nonce,
  );
}

/** Creates a key for each requested credential. */
export function createHolderKeys({ wallet, options, issuerMetadata }: KeyRun): Promise<WalletKey[]> {
  const { batch = 1 } = options;
  const allowed = issuerMetadata.credentialIssuer.batch_credential_issuance?.batch_size ?? 1;
  const length = typeof batch === 'number' ? batch : Math.min(batch.atMost, allowed);
  return Promise.all(Array.from({ length }, () => wallet.keys.create()));
}

/** Proves possession of keys, with a fresh nonce (OpenID4VCI 1.0 Appendix F). */
export async function proveKeys(
  run: ProofRun,
  credentialConfigurationId: string,
  keys: readonly WalletKey[],
): Promise<KeyProofs> {
  const { journey, options } = run;
  const nonce = await requestNonce(run);
  const attested = await attestationOf(options.keyAttestation, keys, nonce);
  if (attested !== undefined && options.keyAttestation?.proofType === 'attestation') {
    return { attestation: options.faults?.proofs?.([attested]) ?? [attested] };
  }
  const jwts = await journey.step('key_proof', () =>
    signProofs(run, credentialConfigurationId, { keys, nonce, attested }),
  );
  return { jwt: options.faults?.proofs?.(jwts) ?? jwts };
}

interface ProofContent {
  readonly keys: readonly WalletKey[];
  readonly nonce: string | undefined;
  readonly attested: string | undefined;
}

async function signProofs(run: ProofRun, credentialConfigurationId: string, content: ProofContent): Promise<string[]> {
  const { wallet, client, issuerMetadata } = run;
  const { keys, nonce, attested } = content;
  const jwts: string[] = [];
  for (const { publicJwk } of keys) {
    const { jwt } = await client.createCredentialRequestJwtProof({
      issuerMetadata,
      credentialConfigurationId,
      issuedAt: wallet.now(),
      signer: { method: 'jwk', alg: 'ES256', publicJwk },
      ...(nonce === undefined ? {} : { nonce }),
      ...(attested === undefined ? {} : { keyAttestationJwt: attested }),
    });
    jwts.push(jwt);
  }
  return jwts;
}
