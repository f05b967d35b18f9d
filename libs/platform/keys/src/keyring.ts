import type { KeyObject } from 'node:crypto';
import type { Signer } from '@vestibule/crypto';
import { DomainError, ProcessingFailure } from '@vestibule/foundation';
import type { Logger, Metrics } from '@vestibule/process';
import { PAUSE_MILLISECONDS } from './attempts';
import { createCircuit, type Circuit } from './circuit';
import { nameOf, parseKeyDescription, type RemoteDescription } from './description';
import { LastingFailure, UnusableAnswer, type RemoteKey } from './device';
import { createGate, type Gate } from './gate';
import { openRemoteKey } from './open-remote-key';
import { BUDGET_MILLISECONDS, createRemoteSigner } from './remote-signer';
import { readSecretFile } from './secret-files';

export interface KeyringOptions {
  readonly logger: Pick<Logger, 'info' | 'error'>;
  readonly metrics?: Pick<Metrics, 'durations'>;
  readonly open?: (described: RemoteDescription) => RemoteKey;
}

/** The keys in devices that a process signs with. */
export interface Keyring {
  /**
   * The key of a description: PEM of the file that it names, or what signs for the owner of a certificate. One connection
   * for equal descriptions. Throws `key_description_invalid`.
   */
  readonly open: (description: string) => { readonly keyPem: string } | OpenedDevice;
  close(): Promise<void>;
}

/** A key in a device. */
interface OpenedDevice {
  readonly signerOf: (publicKey: KeyObject) => Signer;
  /**
   * The public half, for a certification request: nothing has shown yet that the device signs with it. Throws
   * `signer_unavailable`, with the reason, and what is wrong with the description.
   */
  readonly readPublicKey: () => Promise<KeyObject>;
}

interface Device {
  readonly described: RemoteDescription;
  readonly key: RemoteKey;
  readonly gate: Gate;
  readonly circuit: Circuit;
}

/** A keyring for the time of `use`. */
export async function usingKeyring<Result>(
  logger: KeyringOptions['logger'],
  use: (keyring: Keyring) => Promise<Result>,
): Promise<Result> {
  const keyring = createKeyring({ logger });
  try {
    return await use(keyring);
  } finally {
    await keyring.close();
  }
}

/** What the device said, where the sentence is ours. */
const reasonOf = (error: unknown): string =>
  error instanceof LastingFailure || error instanceof UnusableAnswer ? `: ${error.message}` : '';

async function readPublicKey({ key }: Device): Promise<KeyObject> {
  try {
    return await key.readPublicKey(AbortSignal.timeout(BUDGET_MILLISECONDS));
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const detail = `the device does not show the public half of the signing key${reasonOf(error)}`;
    throw new ProcessingFailure('signer_unavailable', detail, error);
  }
}

export function createKeyring({ logger, metrics, open = openRemoteKey }: KeyringOptions): Keyring {
  const devices = new Map<string, Device>();
  const help = 'Signatures with keys in devices, by outcome';
  const measured = metrics?.durations('vestibule_signature_duration_seconds', help, ['provider', 'outcome']);

  function connect(described: RemoteDescription): Device {
    const key = nameOf(described);
    const circuit = createCircuit({
      stopwatch: () => performance.now(),
      onChange: (isAway) =>
        isAway
          ? logger.error('a device with a signing key does not sign: wallets are told to come back', { key })
          : logger.info('a device with a signing key signs again', { key }),
    });
    return { described, key: open(described), gate: createGate(described.concurrency), circuit };
  }

  function deviceOf(described: RemoteDescription): Device {
    const name = JSON.stringify(described);
    const known = devices.get(name) ?? connect(described);
    devices.set(name, known);
    return known;
  }

  function signerOf({ described, ...device }: Device, publicKey: KeyObject): Signer {
    const { attempts, timeoutMilliseconds: attemptMilliseconds, provider } = described;
    return createRemoteSigner({
      ...device,
      publicKey,
      limits: {
        attempts,
        attemptMilliseconds,
        pauseMilliseconds: PAUSE_MILLISECONDS,
        budgetMilliseconds: BUDGET_MILLISECONDS,
      },
      measure: (outcome, seconds) => measured?.(seconds, provider, outcome),
    });
  }

  return {
    open(description) {
      const described = parseKeyDescription(description);
      if (described.provider === 'file') return { keyPem: readSecretFile(described.file) };
      const device = deviceOf(described);
      return { signerOf: (publicKey) => signerOf(device, publicKey), readPublicKey: () => readPublicKey(device) };
    },
    async close() {
      await Promise.all([...devices.values()].map(({ key }) => key.close()));
    },
  };
}
