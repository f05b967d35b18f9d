import { BitString } from '@peculiar/asn1-schema';
import { AlgorithmIdentifier, Extensions, Name, Time, Version } from '@peculiar/asn1-x509';
import { VerificationFailure } from '@vestibule/foundation';
import { parseDer, readTime } from './asn1';
import type { Certificate } from './certificate';
import { isSignedBy, requireKnownParameters } from './certificate-algorithms';
import { checkEntries } from './crl-entries';
import { parseCrlExtensions, type CrlScope } from './crl-extensions';
import { x509Failure } from './failures';
import { headerReader, TAG } from './der-headers';
import { requireDerName } from './subject-text';

/** Bytes that one certificate revocation list may have: 5 MiB. */
export const MAX_CRL_BYTES = 5_242_880;

/** A parsed certificate revocation list (RFC 5280 §5.1), complete for its scope: nothing in it is verified yet. */
export interface Crl {
  /** The received bytes. */
  readonly der: Buffer;
  /** Distinguished name as DER. */
  readonly issuer: Buffer;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
  readonly scope: CrlScope;
  /** The received bytes of the entries, all well-formed: look them up with `findRevocation`. */
  readonly entries: Buffer;
  /** Object identifier of the algorithm that signed the list. */
  readonly signatureAlgorithm: string;
  readonly signature: Buffer;
  /** The received bytes that the signature covers. */
  readonly signedBytes: Buffer;
}

const MAX_FIELDS = 7;

/** A value of the signed part, or of the list around it, as it was received. */
interface Field {
  readonly tag: number;
  readonly raw: Buffer;
  readonly content: Buffer;
}

const malformed = (detail?: string) => x509Failure('crl_malformed', detail);

function requireTag(field: Field | undefined, tag: number): Field {
  if (field?.tag !== tag) throw malformed();
  return field;
}

/** The only value in `bytes`. */
function readOnly(bytes: Buffer, tag: number): Field {
  const [field, ...rest] = readFields(bytes);
  if (rest.length > 0) throw malformed('bytes follow a value');
  return requireTag(field, tag);
}

/** The values that follow one another, cut apart by their headers alone: the entries stay one value. */
function readFields(bytes: Buffer): Field[] {
  const readHeader = headerReader(bytes);
  const fields: Field[] = [];
  for (let at = 0; at < bytes.length;) {
    if (fields.length >= MAX_FIELDS) throw malformed();
    const { tag, start, end } = readHeader(at, bytes.length);
    fields.push({ tag, raw: bytes.subarray(at, end), content: bytes.subarray(start, end) });
    at = end;
  }
  return fields;
}

const isTime = (field: Field | undefined): field is Field =>
  field?.tag === TAG.utcTime || field?.tag === TAG.generalizedTime;

/** What may follow the times: the entries, which are absent when nothing is revoked, and the extensions. */
function readRest(rest: readonly Field[], isVersion2: boolean): Pick<Crl, 'entries' | 'scope'> {
  const [first, second] = rest;
  const list = first?.tag === TAG.sequence ? first : undefined;
  const extensions = list ? second : first;
  if (rest.length > 2 || (second && !list) || (extensions && !isVersion2)) throw malformed();
  const scope = parseCrlExtensions(
    extensions && [...parseDer(requireTag(extensions, TAG.explicit0).content, Extensions)],
  );
  const entries = list?.content ?? Buffer.alloc(0);
  checkEntries(entries, { mayHaveExtensions: isVersion2 });
  return { entries, scope };
}

function readSigned(signed: Field) {
  const fields = readFields(signed.content);
  const version = fields[0]?.tag === TAG.integer ? fields.shift() : undefined;
  if (version && !version.content.equals(Buffer.of(Version.v2))) throw malformed();
  const [algorithm, issuer, thisUpdate, nextUpdate, ...rest] = fields;
  if (!algorithm || !issuer || !thisUpdate) throw malformed();
  const name = parseDer(issuer.raw, Name);
  if (name.length === 0) throw malformed('a revocation list names no issuer');
  requireDerName(name);
  if (!isTime(nextUpdate)) throw malformed('a revocation list has no next update');
  return {
    algorithm: algorithm.raw,
    issuer: issuer.raw,
    thisUpdate: readTime(parseDer(thisUpdate.raw, Time)),
    nextUpdate: readTime(parseDer(nextUpdate.raw, Time)),
    ...readRest(rest, version !== undefined),
  };
}

function readCrl(der: Buffer): Crl {
  const [signed, algorithm, bits, ...rest] = readFields(readOnly(der, TAG.sequence).content);
  if (!algorithm || !bits || rest.length > 0) throw malformed();
  const signedPart = requireTag(signed, TAG.sequence);
  const { algorithm: signedAlgorithm, ...fields } = readSigned(signedPart);
  if (!algorithm.raw.equals(signedAlgorithm)) throw malformed('a revocation list names two signature algorithms');
  const { value: signature, unusedBits } = parseDer(bits.raw, BitString);
  if (unusedBits > 0) throw malformed();
  const signatureAlgorithm = parseDer(algorithm.raw, AlgorithmIdentifier);
  requireKnownParameters(signatureAlgorithm);
  return Object.freeze({
    der,
    ...fields,
    signatureAlgorithm: signatureAlgorithm.algorithm,
    signature: Buffer.from(signature),
    signedBytes: signedPart.raw,
  });
}

/**
 * Parses one DER certificate revocation list. Throws `crl_malformed` for everything else, including PEM, trailing
 * bytes, more than {@link MAX_CRL_BYTES} and a list without nextUpdate; `crl_unsupported` for deltas, indirect and
 * partial lists and unknown critical extensions (RFC 5280 §5.2, §5.3).
 */
export function parseCrl(bytes: Uint8Array): Crl {
  if (bytes.byteLength > MAX_CRL_BYTES) throw x509Failure('crl_malformed', 'a revocation list is too long');
  try {
    return readCrl(Buffer.from(bytes));
  } catch (error) {
    const isDer = error instanceof VerificationFailure && error.code === 'certificate_malformed';
    throw isDer ? x509Failure('crl_malformed', undefined, error) : error;
  }
}

/** Whose signature a list was found to bear, so that a list in a cache is hashed once. */
const signers = new WeakMap<Crl, string>();

function requireSignedBy(crl: Crl, issuer: Certificate): void {
  if (signers.get(crl) === issuer.fingerprint) return;
  const maySign = issuer.keyUsage?.includes('cRLSign') ?? true;
  const isNamed = crl.issuer.equals(issuer.subject);
  if (!isNamed || !maySign || !isSignedBy(crl, issuer.publicKey)) throw x509Failure('crl_invalid');
  signers.set(crl, issuer.fingerprint);
}

/**
 * Throws `crl_invalid` unless `issuer`, the certificate of the authority that issued the certificates in question, made
 * the list: its name byte for byte, its key, cRLSign where it has a key usage (RFC 5280 §6.3.3 (f), (g)). Then throws
 * `crl_not_yet_valid` before thisUpdate and `crl_expired` after nextUpdate. A list that a cache keeps may be asked again.
 */
export function verifyCrl(crl: Crl, issuer: Certificate, now: Date): void {
  requireSignedBy(crl, issuer);
  if (!(now >= crl.thisUpdate)) throw x509Failure('crl_not_yet_valid');
  if (!(now <= crl.nextUpdate)) throw x509Failure('crl_expired');
}
