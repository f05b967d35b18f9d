import { callbackVariables, describeWebhookKey, parseWebhookKey } from '@vestibule/callbacks';
import type { callbackKeys } from '@vestibule/contracts';
import { sealingKeyMark, sha256 } from '@vestibule/crypto';
import { encodeBase64, encodeBase64url } from '@vestibule/foundation';
import { ConfigurationFault, loadConfiguration, microserviceVariables, randomBytes } from '@vestibule/process';
import type { z } from 'zod';
import { Failure, type Input, UsageError } from './command';
import { openManagement } from './management';

const KEY_BYTES = 32;

type Keys = z.output<typeof callbackKeys>['keys'];

const lineOf = ({ scheme, public_key: publicKey }: Keys[number]) => `${scheme}\t${publicKey ?? 'shared secret'}`;

/** Asks the running services which keys sign their callbacks, and prints them. */
export async function listKeys(input: Input): Promise<number> {
  const { body } = await openManagement(input)('GET', '/callbacks/keys');
  for (const { service, keys } of body as readonly z.output<typeof callbackKeys>[])
    for (const line of keys.length === 0 ? ['unsigned'] : keys.map(lineOf)) input.host.print(`${service}\t${line}`);
  return 0;
}

/** Prints what receivers may know of `CALLBACK_SECRETS` in this environment. */
export function showPublicKeys({ host }: Input): number {
  try {
    const { keys = [] } = loadConfiguration({ keys: callbackVariables.callbackKeys }, host.environment);
    if (keys.length === 0)
      throw new UsageError('CALLBACK_SECRETS is not set here: run this in the container of a service');
    for (const key of keys) host.print(lineOf(describeWebhookKey(key)));
  } catch (error) {
    if (error instanceof ConfigurationFault) throw new UsageError(error.detail);
    throw error;
  }
  return 0;
}

/** Prints the mark of each raw key in `SEALING_KEYS`, in their order. */
export function showMarks({ host }: Input): number {
  try {
    const { keys } = loadConfiguration({ keys: microserviceVariables.sealingKeys }, host.environment);
    for (const key of keys) host.print(sealingKeyMark(key));
  } catch (error) {
    if (error instanceof ConfigurationFault)
      throw new UsageError(`${error.detail}; marks are of raw keys, a wrapped key has its mark in its file`);
    throw error;
  }
  return 0;
}

/** An Ed25519 key pair in the form of Standard Webhooks: what goes into `CALLBACK_SECRETS`, and what receivers get. */
function newCallbackKey(): readonly string[] {
  const privateKey = `whsk_${encodeBase64(randomBytes(KEY_BYTES))}`;
  const key = parseWebhookKey(privateKey);
  if (key?.scheme !== 'v1a') throw new Failure('the key cannot be made');
  return [`CALLBACK_SECRETS\t${privateKey}`, `public key, for receivers\t${key.publicKey}`];
}

/** The sealing key: 32 bytes as base64url. */
const newSealingKey = () => [`SEALING_KEYS\t${encodeBase64url(randomBytes(KEY_BYTES))}`];

const newSecret = () => [`CALLBACK_SECRETS\twhsec_${encodeBase64(randomBytes(KEY_BYTES))}`];

/** A bearer key of the management listener; the gateway gets only its digest. */
function newBearerKey(): readonly string[] {
  const key = Buffer.from(randomBytes(KEY_BYTES)).toString('hex');
  return [`bearer key, for the backend\t${key}`, `MANAGEMENT_KEY_DIGESTS\t${encodeBase64url(sha256(key))}`];
}

const KEY_MAKERS: Readonly<Record<string, () => readonly string[]>> = {
  'callback-key': newCallbackKey,
  'callback-secret': newSecret,
  sealing: newSealingKey,
  management: newBearerKey,
};

/** Makes a key of a kind and prints it with the variable that it belongs to. */
export function makeKey({ arguments: { kind = '' }, host }: Input): number {
  for (const line of KEY_MAKERS[kind]?.() ?? []) host.print(line);
  return 0;
}
