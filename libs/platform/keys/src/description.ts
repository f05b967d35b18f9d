import { parseJson } from '@vestibule/foundation';
import { isLoopbackUrl } from '@vestibule/process';
import { z } from 'zod';
import { descriptionFault } from './failures';

const text = z.string().min(1).max(4_096);
/** Secrets travel to it: without TLS only on this machine. */
const origin = z
  .url({ protocol: /^https?$/ })
  .max(2_048)
  .refine((url) => url.startsWith('https:') || isLoopbackUrl(url));

/** How long and how often a device is asked. */
const limits = {
  /** One call, in milliseconds. */
  timeoutMilliseconds: z.int().min(50).max(10_000).default(3_000),
  attempts: z.int().min(1).max(5).default(3),
  /** Calls at a time; further ones wait within the same budget. */
  concurrency: z.int().min(1).max(256).default(16),
};

/** TLS of a device that is reached over HTTP. */
const tls = { caFile: text.optional(), clientCertificateFile: text.optional(), clientKeyFile: text.optional() };

const file = z.strictObject({ provider: z.literal('file'), file: text });

const pkcs11 = z.strictObject({
  provider: z.literal('pkcs11'),
  /** The library of the device. */
  module: text,
  /** Label of the token. */
  token: text,
  pinFile: text,
  /** Label of the key pair (CKA_LABEL), its id in hexadecimal digits (CKA_ID), or both. */
  object: text.optional(),
  id: z
    .string()
    .regex(/^(?:[0-9a-f]{2}){1,64}$/i)
    .optional(),
  ...limits,
});

const vaultTransit = z.strictObject({
  provider: z.literal('vault-transit'),
  url: origin,
  tokenFile: text,
  mount: text.default('transit'),
  key: text,
  /** Of the key; the certificate belongs to one version, so it is fixed here. */
  version: z.int().min(1).default(1),
  namespace: text.optional(),
  ...tls,
  ...limits,
});

const https = z.strictObject({
  provider: z.literal('https'),
  url: origin,
  key: text,
  /** File with the value of the Authorization header. */
  authorizationFile: text.optional(),
  ...tls,
  ...limits,
});

const awsKms = z.strictObject({
  provider: z.literal('aws-kms'),
  region: z.string().regex(/^[a-z0-9-]{1,64}$/),
  keyId: text,
  /** In place of the public address, for a private endpoint. */
  url: origin.optional(),
  /** JSON with accessKeyId, secretAccessKey and, for temporary ones, sessionToken; read again when it changes. */
  credentialsFile: text,
  ...limits,
});

const gcpKms = z.strictObject({
  provider: z.literal('gcp-kms'),
  /** Projects/…/cryptoKeyVersions/1; for a sealing key without the version. */
  key: z
    .string()
    .regex(
      /^projects\/[^/?#]+\/locations\/[^/?#]+\/keyRings\/[^/?#]+\/cryptoKeys\/[^/?#]+(?:\/cryptoKeyVersions\/\d+)?$/,
    ),
  url: origin.default('https://cloudkms.googleapis.com'),
  /** The JSON key of a service account; without it the metadata server of the machine is asked. */
  credentialsFile: text.optional(),
  metadataUrl: z.url({ protocol: /^http$/ }).default('http://metadata.google.internal'),
  ...limits,
});

const azureKeyVault = z.strictObject({
  provider: z.literal('azure-key-vault'),
  /** Of the vault: https://name.vault.azure.net. */
  url: origin,
  key: z.string().regex(/^[0-9A-Za-z-]{1,127}$/),
  version: z.string().regex(/^[0-9a-f]{32}$/),
  tenantId: text,
  clientId: text,
  clientSecretFile: text,
  loginUrl: origin.default('https://login.microsoftonline.com'),
  /** The scope of access tokens; other clouds have other ones. */
  scope: text.default('https://vault.azure.net/.default'),
  ...limits,
});

const description = z.discriminatedUnion('provider', [
  file,
  pkcs11,
  vaultTransit,
  https,
  awsKms,
  gcpKms,
  azureKeyVault,
]);

/** Where a key is and how it is reached, without a secret: those are in the files that it names. */
export type KeyDescription = z.infer<typeof description>;
export type Described<Provider extends KeyDescription['provider']> = Extract<
  KeyDescription,
  { readonly provider: Provider }
>;
/** A key that is not in this process. */
export type RemoteDescription = Exclude<KeyDescription, { readonly provider: 'file' }>;

/** A JSON document as this schema has it; throws `key_description_invalid`, which names the wrong members and holds no value. */
export function parseMembers<Value>(schema: z.ZodType<Value>, json: string): Value {
  const parsed = schema.safeParse(parseJson(json));
  if (parsed.success) return parsed.data;
  const members = parsed.error.issues.flatMap(({ path, code, ...issue }) =>
    'keys' in issue ? (issue.keys as string[]) : [path.join('.') || code],
  );
  throw descriptionFault(`has wrong or missing members: ${[...new Set(members)].join(', ')}`);
}

/** Parses a key description; throws `key_description_invalid`, which names the wrong members and holds no value. */
export function parseKeyDescription(json: string): KeyDescription {
  const data = parseMembers(description, json);
  if (data.provider === 'pkcs11' && data.object === undefined && data.id === undefined)
    throw descriptionFault('needs object or id');
  return data;
}

/** How a device is named to operators: nothing in a description is secret, but its addresses are long. */
export function nameOf(described: RemoteDescription): string {
  return `${described.provider} ${'key' in described ? described.key : 'keyId' in described ? described.keyId : (described.object ?? described.id)}`;
}
