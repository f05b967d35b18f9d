import { DomainError } from '@vestibule/foundation';
import type { AttesterKeys } from '@vestibule/oauth';
import { booleanSetting, choiceSetting, optionalVariable, textSetting, variable } from '@vestibule/process';
import type { Logger } from '@vestibule/process';
import { readAttesterTrust, type AttesterTrust } from './adapters/keys/attester-trust';
import type { FollowAttesterLists } from './adapters/lists/attester-lists';
import type { LoadedIssuer } from './adapters/files/type-metadata-folder';
import { STATUS_MODES, statusModeOf, type AttestationMode, type StatusMode } from './domain/profile';
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
  attestationStatus: variable('ATTESTATION_STATUS', choiceSetting(STATUS_MODES), {
    category: 'Wallets',
    description:
      'Whether the status lists that attestations of wallets and keys refer to are looked up: never, where there is a reference, or every attestation needs one. The profile eudi looks up each reference, and PIDs need them',
    default: 'when-present',
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
  readonly attestationStatus: StatusMode;
}

export interface WalletDemands {
  readonly demandsDpopNonces: boolean;
  readonly clientAuthentication: ClientAuthenticationPolicy;
  /** Who may attest keys; undefined if nobody may. */
  readonly keyAttesters: AttesterKeys | undefined;
  readonly attestationStatus: StatusMode;
}

function unmet(detail: string): DomainError {
  return new DomainError({ kind: 'internal', code: 'attestation_trust_missing', detail });
}

interface AttesterSettings extends Pick<WalletSettings, 'attestationTrustFile'> {
  readonly egressDevelopmentHosts?: readonly string[] | undefined;
}

/** The attesters of the configuration; nobody without a file. Throws `attestation_trust_invalid`. */
export async function readAttesters(
  { attestationTrustFile: file, egressDevelopmentHosts }: AttesterSettings,
  logger: Pick<Logger, 'warn'>,
  follow: FollowAttesterLists,
): Promise<AttesterTrust> {
  if (file === undefined) return { wallets: undefined, keys: undefined, walletStatus: undefined, keyStatus: undefined };
  return readAttesterTrust(file, logger, follow, egressDevelopmentHosts);
}

/** What the file of an identifier says, else its profile, else the configuration. */
function modeOf({ identity, attestations }: LoadedIssuer, settings: WalletSettings): AttestationMode {
  return attestations ?? (identity.profile === 'eudi' ? 'required' : settings.walletAttestation);
}

const nameOf = ({ identity: { name, url } }: LoadedIssuer) => (name === '' ? url : `the issuer ${name}`);

/** Throws `attestation_trust_missing` for attestations that are required and cannot be verified. */
function requireAttesters(issuer: LoadedIssuer, mode: AttestationMode, { wallets, keys }: AttesterTrust): void {
  const types = [...issuer.types.values()];
  const requires = mode === 'required' || types.some(({ isPid }) => isPid);
  if (requires && (!wallets || mode === 'off'))
    throw unmet(
      `${nameOf(issuer)} requires wallet attestations, but ${mode === 'off' ? 'they are off' : 'ATTESTATION_TRUST_FILE has no walletAttestation'}`,
    );
  const demanding = types.find(({ keyAttestation }) => keyAttestation !== undefined);
  if (demanding && (!keys || mode === 'off'))
    throw unmet(
      `${demanding.configurationId} requires key attestations, but ${mode === 'off' ? 'attestations are off' : 'ATTESTATION_TRUST_FILE has no keyAttestation'}`,
    );
}

/**
 * The requirements of one issuer identifier for wallets. Throws `attestation_trust_missing` if an attestation is
 * required but no attester is trusted.
 */
export function walletDemands(settings: WalletSettings, issuer: LoadedIssuer, attesters: AttesterTrust): WalletDemands {
  const mode = modeOf(issuer, settings);
  requireAttesters(issuer, mode, attesters);
  const { wallets, keys } = mode === 'off' ? { wallets: undefined, keys: undefined } : attesters;
  return {
    demandsDpopNonces: settings.dpopNonce === 'required',
    clientAuthentication: {
      required: mode === 'required',
      attesterKeys: wallets,
      challenge: settings.attestationChallenge,
    },
    keyAttesters: keys,
    attestationStatus: statusModeOf(issuer.identity.profile, settings.attestationStatus),
  };
}
