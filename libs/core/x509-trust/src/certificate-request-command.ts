import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { isKeyDescription, localSigner, type Signer } from '@vestibule/crypto';
import { certificateRequestFault } from './certificate-request-fault';
import { requestCertificate, type RequestingKey } from './certificate-request';
import { configurationFault } from './configuration-faults';
import { parseSubject } from './parse-subject';
import { parseRequestedNames } from './requested-names';

/** A configured key: PEM in this process, or a device that shows the public half and signs for it. */
export type OpenRequestingKey = (description: string) =>
  | { readonly keyPem: string }
  | {
      readonly readPublicKey: () => Promise<KeyObject>;
      readonly signerOf: (publicKey: KeyObject) => Signer;
    };

/** What a certificate is for, as `--for` calls it. */
export type CertificateUse = 'access' | 'issuer';

/** A key of the configuration. */
export interface ConfiguredKey {
  /** The variable that names it. */
  readonly variable: string;
  /** PEM, or a key description; undefined if it is not set. */
  readonly key: string | undefined;
  /** Is requested as URI unless `--uri` is given. */
  readonly uri?: string;
}

export interface CertificateRequestParts {
  /** The keys that this service has a certificate for. */
  readonly keys: Readonly<Partial<Record<CertificateUse, ConfiguredKey>>>;
  readonly openKey: OpenRequestingKey;
  /** Reads the file of `--key-file`: a key that is not configured yet, as a rotation needs it. Throws what `fail` returns. */
  readonly readFile: (file: string, fail: (reason: string) => Error) => Buffer;
}

const OPTIONS = ['for', 'subject', 'dns', 'uri', 'email', 'key-file'] as const;
type Options = Readonly<Partial<Record<(typeof OPTIONS)[number], string>>>;

const isOption = (name: string): name is (typeof OPTIONS)[number] => (OPTIONS as readonly string[]).includes(name);

/** Pairs of `--name` and value, as `vestibule csr` passes them on. */
function readOptions(argv: readonly string[]): Options {
  const options: Partial<Record<(typeof OPTIONS)[number], string>> = {};
  for (let at = 0; at < argv.length; at += 2) {
    const [word = '', value] = argv.slice(at, at + 2);
    const name = word.startsWith('--') ? word.slice(2) : '';
    if (!isOption(name))
      throw certificateRequestFault(`unknown option; known: ${OPTIONS.map((one) => `--${one}`).join(', ')}`);
    if (options[name] !== undefined) throw certificateRequestFault(`--${name} is there twice`);
    if (value === undefined || value === '') throw certificateRequestFault(`--${name} needs a value`);
    options[name] = value;
  }
  return options;
}

function chooseKey(use: string | undefined, keys: CertificateRequestParts['keys']): ConfiguredKey {
  const chosen = Object.entries(keys).find(([name]) => name === use)?.[1];
  if (chosen) return chosen;
  throw certificateRequestFault(`--for must be one of: ${Object.keys(keys).join(', ')}`);
}

const readKeyFile = (file: string, readFile: CertificateRequestParts['readFile']): string =>
  readFile(file, (reason) => certificateRequestFault(`--key-file: ${file} ${reason}`)).toString('utf8');

function localKey(pem: string): RequestingKey {
  try {
    const key = createPrivateKey(pem);
    return { publicKey: createPublicKey(key), sign: localSigner(key).sign };
  } catch (error) {
    throw configurationFault('signing_key_not_p256', 'it is not PEM without a passphrase', error);
  }
}

async function requestingKey(text: string, openKey: OpenRequestingKey): Promise<RequestingKey> {
  const opened = isKeyDescription(text) ? openKey(text) : { keyPem: text };
  if ('keyPem' in opened) return localKey(opened.keyPem);
  const publicKey = await opened.readPublicKey();
  return { publicKey, sign: opened.signerOf(publicKey).sign };
}

/**
 * Makes the certification request that the command line asks for, with a configured key or that of `--key-file`: PEM.
 * Throws `command_invalid` before any key is read, faults of the key, and what the device throws.
 */
export async function certificateRequestCommand(
  argv: readonly string[],
  { keys, openKey, readFile }: CertificateRequestParts,
): Promise<string> {
  const { for: use, subject, 'key-file': file, ...names } = readOptions(argv);
  const { variable, key: configured, uri } = chooseKey(use, keys);
  if (subject === undefined) throw certificateRequestFault('--subject is missing');
  const wanted = {
    subject: parseSubject(subject),
    alternativeNames: parseRequestedNames({ ...(uri === undefined ? {} : { uri }), ...names }),
  };
  const key = file === undefined ? configured : readKeyFile(file, readFile);
  if (key === undefined) throw certificateRequestFault(`${variable} is not set, and there is no --key-file`);
  return requestCertificate(wanted, await requestingKey(key, openKey));
}
