import { sealingKeyMark } from '@vestibule/crypto';
import { decodeBase64, decodeBase64url, DomainError } from '@vestibule/foundation';
import { readConfigurationFile, type SealingKeyDevices } from '@vestibule/process';
import { z } from 'zod';
import { callWithin, PAUSE_MILLISECONDS } from './attempts';
import { nameOf, parseKeyDescription, parseMembers, type RemoteDescription } from './description';
import { LastingFailure, UnusableAnswer, type RemoteKey } from './device';
import { descriptionFault, KEY_ERRORS, sealingKeyFault } from './failures';
import { openRemoteKey } from './open-remote-key';

const KEY_BYTES = 32;

const document = z.strictObject({
  /** Text that the commands of the device print. */
  wrapped: z.string().min(1).max(16_384),
  /** Says which key this is, without the key. */
  mark: z.string().regex(/^[0-9a-f]{16}$/),
  /** The description of the key that unwraps. */
  device: z.looseObject({}),
});

interface WrappedKey {
  readonly wrapped: Uint8Array;
  readonly mark: string;
  readonly device: RemoteDescription;
}

/** Vault has a notation of its own. */
function bytesOf(wrapped: string, { provider }: RemoteDescription): Uint8Array {
  if (provider === 'vault-transit') return Buffer.from(wrapped, 'utf8');
  const bytes = decodeBase64(wrapped) ?? decodeBase64url(wrapped);
  if (bytes) return bytes;
  throw descriptionFault('has a member wrapped that is not base64');
}

function parseWrappedKey(json: string): WrappedKey {
  const { wrapped, mark, device: described } = parseMembers(document, json);
  const device = parseKeyDescription(JSON.stringify(described));
  if (device.provider === 'file') throw descriptionFault('of a wrapped key cannot have the provider file');
  return { wrapped: bytesOf(wrapped, device), mark, device };
}

/** The sentences of other errors may quote what they were given. */
function reasonOf(error: unknown, signal: AbortSignal): string {
  if (error instanceof LastingFailure || error instanceof UnusableAnswer) return error.message;
  const { name, code } = error as NodeJS.ErrnoException;
  if (signal.aborted || name === 'TimeoutError') return 'it did not answer in time';
  return `it cannot be reached (${typeof code === 'string' ? code : 'unknown'})`;
}

async function ask({ device, wrapped }: WrappedKey, signal: AbortSignal, open: typeof openRemoteKey) {
  const { attempts, timeoutMilliseconds: attemptMilliseconds } = device;
  const limits = { attempts, attemptMilliseconds, pauseMilliseconds: PAUSE_MILLISECONDS };
  let key: RemoteKey | undefined;
  try {
    const opened = (key = open(device));
    return await callWithin((attempt) => opened.unwrap(wrapped, attempt), limits, signal);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const reason = `${nameOf(device)} does not unwrap it: ${reasonOf(error, signal)}`;
    throw sealingKeyFault('sealing_key_unavailable', reason, error);
  } finally {
    await key?.close();
  }
}

/** The file is not named: a raw key may stand in its place. Who asked names it where it is one. */
function readWrappedKey(file: string): WrappedKey {
  const fail = (reason: string, cause: unknown) => descriptionFault(`is in a file that ${reason}`, cause);
  return parseWrappedKey(readConfigurationFile(file, fail).toString('utf8'));
}

async function unwrap(file: string, signal: AbortSignal, open: typeof openRemoteKey): Promise<Uint8Array> {
  const wrapped = readWrappedKey(file);
  const key = await ask(wrapped, signal, open);
  const wrong = (what: string) =>
    sealingKeyFault('sealing_key_wrong', `what ${nameOf(wrapped.device)} returned ${what}`);
  if (key.byteLength !== KEY_BYTES) throw wrong('has not 32 bytes');
  if (sealingKeyMark(key) !== wrapped.mark) throw wrong('has another mark than the file says');
  return key;
}

/**
 * Unwraps sealing keys with the providers of signing keys. A device is not trusted beyond that: what it returns has 32 bytes
 * and the mark in the file, or is not used. `unwrap` throws `key_description_invalid`, `sealing_key_unavailable`,
 * `sealing_key_wrong`, and what a PKCS#11 device throws.
 */
export const createSealingKeyDevices = (open: typeof openRemoteKey = openRemoteKey): SealingKeyDevices => ({
  unwrap: (file, signal) => unwrap(file, signal, open),
  errors: KEY_ERRORS,
});
