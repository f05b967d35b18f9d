import { createHash, X509Certificate } from 'node:crypto';
import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';

export type Json = Readonly<Record<string, unknown>>;

/** What the strict wallet does not take from an issuer, and why. */
export class Refused extends Error {
  constructor(readonly reason: string) {
    super(`the strict wallet refuses: ${reason}`);
  }
}

export function insist(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new Refused(reason);
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function objectOf(value: unknown, reason: string): Json {
  insist(isObject(value), reason);
  return value;
}

/** Verifies a JWS with the first certificate of its own header. */
export async function verifiedByChain(jwt: string, typ: string): Promise<Json> {
  const { x5c, typ: named } = decodeProtectedHeader(jwt);
  insist(named === typ, `typ is not ${typ}`);
  insist(Array.isArray(x5c) && x5c.length > 0, 'no x5c');
  const leaf = new X509Certificate(Buffer.from(String(x5c[0]), 'base64'));
  await compactVerify(jwt, leaf.publicKey, { algorithms: ['ES256'] }).catch(() => insist(false, 'bad signature'));
  return decodeJwt(jwt);
}

const KNOWN_PROOFS = ['jwt', 'attestation'];

/** Every proof type that the wallet knows demands attested keys: one configuration that does not ends it (EU:M1, EU:M4). */
function judgeConfiguration(configuration: Json, id: string): void {
  const proofTypes = configuration['proof_types_supported'];
  if (proofTypes === undefined) {
    insist(configuration['cryptographic_binding_methods_supported'] === undefined, `${id} binds without proofs`);
    return;
  }
  const known = Object.entries(objectOf(proofTypes, `${id} has no proof types`)).filter(([name]) =>
    KNOWN_PROOFS.includes(name),
  );
  insist(known.length > 0, `${id} has only unknown proof types`);
  for (const [name, details] of known) {
    const { proof_signing_alg_values_supported: algorithms, key_attestations_required: required } = objectOf(
      details,
      name,
    );
    insist(Array.isArray(algorithms) && algorithms.length > 0, `${id} has no algorithms for ${name}`);
    insist(isObject(required), `${id} does not demand attested keys for ${name}`);
  }
}

/** Reads Credential Issuer Metadata as section 1 of the rules has it, whichever configuration was offered. */
export function judgeMetadata(metadata: Json, issuer: string): Json {
  insist(metadata['credential_issuer'] === issuer, 'metadata of another issuer');
  const configurations = objectOf(metadata['credential_configurations_supported'], 'no configurations');
  for (const [id, one] of Object.entries(configurations)) {
    const configuration = objectOf(one, id);
    if (configuration['format'] === 'dc+sd-jwt') judgeConfiguration(configuration, id);
  }
  const encrypts = metadata['credential_response_encryption'] !== undefined;
  insist(!encrypts || metadata['credential_request_encryption'] !== undefined, 'encrypts responses to plain requests');
  return configurations;
}

const TYPE_MEMBERS = ['vct', 'name', 'description', 'extends', 'extends#integrity', 'display', 'claims'];
const CLAIM_MEMBERS = ['path', 'display', 'mandatory', 'sd', 'svg_id'];
/** Claims that a credential may have although its type does not list them. */
const UNLISTED = ['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status', '_sd', '_sd_alg'];

const unknownMember = (value: Json, known: readonly string[]) =>
  Object.keys(value).find((name) => !known.includes(name));

interface ListedClaim {
  readonly name: unknown;
  readonly sd: unknown;
}

/** Decodes Type Metadata strictly: a member that it does not know ends it (EU:M8). */
export function judgeTypeMetadata(document: Json): readonly ListedClaim[] {
  insist(unknownMember(document, TYPE_MEMBERS) === undefined, `${unknownMember(document, TYPE_MEMBERS)} is unknown`);
  const claims = document['claims'];
  insist(Array.isArray(claims), 'no claims');
  return claims.map((entry: unknown) => {
    const claim = objectOf(entry, 'a claim is no object');
    insist(unknownMember(claim, CLAIM_MEMBERS) === undefined, 'a claim has an unknown member');
    insist(Array.isArray(claim['path']) && claim['path'].length > 0, 'a claim has no path');
    return { name: (claim['path'] as unknown[])[0], sd: claim['sd'] };
  });
}

interface OpenedCredential {
  readonly plain: Json;
  /** Names of the disclosures at the top. */
  readonly disclosed: readonly string[];
  readonly subject: unknown;
}

const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest();

/** Opens an issued SD-JWT VC: signature, and every disclosure under the payload or another disclosure. */
async function openCredential(credential: string): Promise<OpenedCredential> {
  const [jwt = '', ...rest] = credential.split('~');
  insist(rest.at(-1) === '', 'no tilde at the end');
  const plain = await verifiedByChain(jwt, 'dc+sd-jwt');
  const texts = rest.slice(0, -1);
  const opened = texts.map((text) => JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[]);
  const everything = JSON.stringify([plain, ...opened]);
  for (const text of texts) insist(everything.includes(sha256(text).toString('base64url')), 'a stray disclosure');
  const top = (plain['_sd'] ?? []) as string[];
  const members = opened.filter((_one, index) => top.includes(sha256(texts[index] ?? '').toString('base64url')));
  const subject = plain['sub'] ?? members.find(([, name]) => name === 'sub')?.[2];
  return { plain, disclosed: members.map(([, name]) => String(name)), subject };
}

/**
 * Judges a credential against the Type Metadata that it names, fetched and compared with its hash (EU:M8). The wallets of
 * the EU take `allowed` for `always`.
 */
export async function judgeCredential(
  credential: string,
  allowedMeans: 'allowed' | 'always' = 'allowed',
): Promise<OpenedCredential> {
  const opened = await openCredential(credential);
  const { vct, 'vct#integrity': integrity } = opened.plain;
  const bytes = Buffer.from(await (await fetch(String(vct))).arrayBuffer());
  insist(integrity === `sha256-${sha256(bytes).toString('base64')}`, 'Type Metadata with another hash');
  const listed = judgeTypeMetadata(JSON.parse(bytes.toString()) as Json);
  const sdOf = (name: string) => listed.find((claim) => claim.name === name);
  for (const name of Object.keys(opened.plain).filter((one) => !UNLISTED.includes(one))) {
    insist(sdOf(name) !== undefined, `${name} is not listed`);
    insist(sdOf(name)?.sd !== 'always', `${name} is not disclosable`);
    insist(allowedMeans === 'allowed' || sdOf(name)?.sd === 'never', `${name} could be disclosable`);
  }
  for (const name of opened.disclosed) {
    insist(sdOf(name) !== undefined, `${name} is not listed`);
    insist(sdOf(name)?.sd !== 'never', `${name} is disclosable`);
  }
  return opened;
}
