import { VerificationFailure } from '@vestibule/foundation';
import type { Certificate } from './certificate';
import { isSignedBy } from './certificate-algorithms';
import { checkEntries } from './crl-entries';
import { parseCrlExtensions, type CrlScope } from './crl-extensions';
import { DER_TAG, readBitString, readInside, readOid, readOnly, readTime, requireTag, type DerElement } from './der';
import { x509Failure } from './failures';

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

const EXTENSIONS_TAG = 0xa0;
const VERSION_2 = Buffer.from([DER_TAG.integer, 1, 1]);
const MAX_FIELDS = 7;
const TIME_TAGS: readonly (number | undefined)[] = [DER_TAG.utcTime, DER_TAG.generalizedTime];

/** What may follow the times: the entries, which are absent when nothing is revoked, and the extensions. */
function readRest(rest: readonly DerElement[], isVersion2: boolean): Pick<Crl, 'entries' | 'scope'> {
  const [first, second] = rest;
  const list = first?.tag === DER_TAG.sequence ? first : undefined;
  const extensions = list ? second : first;
  if ((second && !list) || (extensions && !isVersion2)) throw x509Failure('crl_malformed');
  const scope = parseCrlExtensions(extensions && requireTag(extensions, EXTENSIONS_TAG).content);
  const entries = list?.content ?? Buffer.alloc(0);
  checkEntries(entries, { mayHaveExtensions: isVersion2 });
  return { entries, scope };
}

function readFields(signed: DerElement) {
  const fields = readInside(signed, DER_TAG.sequence, MAX_FIELDS);
  const version = fields[0]?.tag === DER_TAG.integer ? fields.shift() : undefined;
  if (version && !version.raw.equals(VERSION_2)) throw x509Failure('crl_malformed');
  const [algorithm, issuer, thisUpdate, nextUpdate, ...rest] = fields;
  const name = requireTag(issuer, DER_TAG.sequence);
  if (name.content.length === 0) throw x509Failure('crl_malformed', 'a revocation list names no issuer');
  if (!TIME_TAGS.includes(nextUpdate?.tag)) throw x509Failure('crl_malformed', 'a revocation list has no next update');
  return {
    algorithm: requireTag(algorithm, DER_TAG.sequence),
    issuer: name.raw,
    thisUpdate: readTime(thisUpdate),
    nextUpdate: readTime(nextUpdate),
    ...readRest(rest, version !== undefined),
  };
}

function readCrl(der: Buffer): Crl {
  const [signed, algorithm, signature] = readInside(readOnly(der), DER_TAG.sequence, 3);
  const { bits, unused } = readBitString(signature);
  if (!signed || !algorithm || unused > 0) throw x509Failure('crl_malformed');
  const { algorithm: signedAlgorithm, ...fields } = readFields(signed);
  if (!algorithm.raw.equals(signedAlgorithm.raw)) {
    throw x509Failure('crl_malformed', 'a revocation list names two signature algorithms');
  }
  return Object.freeze({
    der,
    ...fields,
    signatureAlgorithm: readOid(readInside(algorithm, DER_TAG.sequence, 2)[0]),
    signature: bits,
    signedBytes: signed.raw,
  });
}

/**
 * Parses one DER certificate revocation list. Throws `crl_malformed` for everything else, PEM, trailing bytes, more than
 * {@link MAX_CRL_BYTES} and a list without nextUpdate included; `crl_unsupported` for deltas, indirect and partial lists
 * and unknown critical extensions (RFC 5280 §5.2, §5.3).
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
