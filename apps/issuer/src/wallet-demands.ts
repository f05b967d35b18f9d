import { DomainError } from '@vestibule/foundation';
import type { AttesterKeys } from '@vestibule/oauth';
import { booleanSetting, choiceSetting, optionalVariable, textSetting, variable } from '@vestibule/process';
import type { Logger } from '@vestibule/process';
import { readAttesterTrust } from './adapters/keys/attester-trust';
import type { IssuableType } from './domain/credential-offer';
import type { ChallengePolicy, ClientAuthenticationPolicy } from './use-cases/authenticate-client';

/** The requirements for wallets, and what the issuer tells them. */
export const walletVariables = {
  dpopNonce: variable('DPOP_NONCE', choiceSetting(['off', 'required']), {
    category: 'Wallets',
    description: 'Whether DPoP proofs must contain a server-provided nonce; this costs wallets one more request',
    default: 'off',
  }),
  attestationTrustFile: optionalVariable('ATTESTATION_TRUST_FILE', textSetting(), {
    category: 'Wallets',
    description:
      'JSON file with the trusted attesters of wallets and keys; without it, attestations are not read, and none can be required',
  }),
  walletAttestation: variable('WALLET_ATTESTATION', choiceSetting(['optional', 'required']), {
    category: 'Wallets',
    description:
      'Whether wallets must authenticate with an attestation; optional also accepts anonymous wallets, and checks an attestation that is presented',
    default: 'optional',
  }),
  attestationChallenge: variable('ATTESTATION_CHALLENGE', choiceSetting(['off', 'optional', 'required']), {
    category: 'Wallets',
    description:
      'Whether the proof of a wallet attestation must contain a server-provided challenge; optional checks one that is presented',
    default: 'required',
  }),
  signedMetadata: variable('SIGNED_METADATA', booleanSetting(), {
    category: 'Wallets',
    description: 'Whether wallets that request application/jwt receive signed issuer metadata',
    default: 'true',
  }),
};

/** The settings of {@link walletVariables} that determine trust. */
export interface WalletSettings {
  readonly dpopNonce: 'off' | 'required';
  readonly attestationTrustFile?: string | undefined;
  readonly walletAttestation: 'optional' | 'required';
  readonly attestationChallenge: ChallengePolicy;
}

export interface WalletDemands {
  readonly demandsDpopNonces: boolean;
  readonly clientAuthentication: ClientAuthenticationPolicy;
  /** Who may attest keys; undefined if nobody may. */
  readonly keyAttesters: AttesterKeys | undefined;
}

function unmet(detail: string): DomainError {
  return new DomainError({ kind: 'internal', code: 'attestation_trust_missing', detail });
}

/**
 * The requirements for wallets, from the configuration. Throws `attestation_trust_missing` if an attestation is
 * required but no attester is trusted, and `attestation_trust_invalid`.
 */
export async function readWalletDemands(
  settings: WalletSettings,
  types: Iterable<IssuableType>,
  logger: Pick<Logger, 'warn'>,
): Promise<WalletDemands> {
  const { attestationTrustFile: file, walletAttestation, attestationChallenge, dpopNonce } = settings;
  const { wallets, keys } =
    file === undefined ? { wallets: undefined, keys: undefined } : await readAttesterTrust(file, logger);
  const required = walletAttestation === 'required';
  if (required && !wallets)
    throw unmet('WALLET_ATTESTATION is required, but ATTESTATION_TRUST_FILE has no walletAttestation');
  const demanding = [...types].find(({ keyAttestation }) => keyAttestation !== undefined);
  if (demanding && !keys)
    throw unmet(
      `${demanding.configurationId} requires key attestations, but ATTESTATION_TRUST_FILE has no keyAttestation`,
    );
  return {
    demandsDpopNonces: dpopNonce === 'required',
    clientAuthentication: { required, attesterKeys: wallets, challenge: attestationChallenge },
    keyAttesters: keys,
  };
}
