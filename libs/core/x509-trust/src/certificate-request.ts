import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { AsnConvert, AsnSerializer, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  Attribute,
  Extension,
  Extensions,
  KeyUsage,
  KeyUsageFlags,
  SubjectAlternativeName,
  type GeneralName,
  type Name,
} from '@peculiar/asn1-x509';
import { BitString, Constructed, fromBER, Integer, Sequence } from 'asn1js';
import { derSignature, isP256, type SignBytes } from '@vestibule/crypto';
import { ProcessingFailure } from '@vestibule/foundation';
import { encodeDer } from './asn1';
import { configurationFault } from './configuration-faults';
import { pemText } from './x5c';

const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
/** The extensions that are requested (RFC 2985 §5.4.2). */
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const KEY_USAGE = '2.5.29.15';
const SUBJECT_ALT_NAME = '2.5.29.17';
const CONTEXT_SPECIFIC = 3;

/** What a certificate is asked for. */
export interface RequestedCertificate {
  readonly subject: Name;
  readonly alternativeNames: readonly GeneralName[];
}

/** The key that it is asked for, wherever it is. */
export interface RequestingKey {
  readonly publicKey: KeyObject;
  /** ES256: R and S. */
  readonly sign: SignBytes;
}

/**
 * Key usage digitalSignature, critical, and the names. Neither an extended key usage nor a policy: no clause was found
 * that asks for one, and what a certificate has is decided by its authority.
 */
function requestedExtensions(names: readonly GeneralName[]): Extensions {
  const usage = new Extension({
    extnID: KEY_USAGE,
    critical: true,
    extnValue: new OctetString(encodeDer(new KeyUsage(KeyUsageFlags.digitalSignature))),
  });
  if (names.length === 0) return new Extensions([usage]);
  const value = new OctetString(encodeDer(new SubjectAlternativeName([...names])));
  return new Extensions([usage, new Extension({ extnID: SUBJECT_ALT_NAME, critical: false, extnValue: value })]);
}

const parsed = (der: Uint8Array) => fromBER(new Uint8Array(der)).result;

/** CertificationRequestInfo (RFC 2986 §4.1). */
function requestInfo({ subject, alternativeNames }: RequestedCertificate, publicKey: KeyObject): Sequence {
  const values = [AsnConvert.serialize(requestedExtensions(alternativeNames))];
  const attribute = AsnSerializer.toASN(new Attribute({ type: EXTENSION_REQUEST, values }));
  return new Sequence({
    value: [
      new Integer({ value: 0 }),
      parsed(encodeDer(subject)),
      parsed(publicKey.export({ type: 'spki', format: 'der' })),
      new Constructed({ idBlock: { tagClass: CONTEXT_SPECIFIC, tagNumber: 0 }, value: [attribute] }),
    ],
  });
}

/** True if the bytes are a request whose signature verifies with the key in it (RFC 2986 §4.2). */
function isSignedByItsKey(der: Uint8Array): boolean {
  const request = parsed(der) as Sequence;
  const [info, , signature] = request.valueBlock.value as [Sequence, Sequence, BitString];
  const spki = info.valueBlock.value[2];
  const key = Buffer.from(spki?.valueBeforeDecodeView ?? []);
  const signed = Buffer.from(info.valueBeforeDecodeView);
  const publicKey = createPublicKey({ key, format: 'der', type: 'spki' });
  return verify('sha256', signed, publicKey, Buffer.from(signature.valueBlock.valueHexView));
}

/**
 * A certification request (PKCS#10, RFC 2986) as PEM, signed with the key that it is for. The signature is verified with
 * the key in the finished request. Throws `signing_key_not_p256`, `signature_invalid`, and what `sign` throws.
 */
export async function requestCertificate(
  wanted: RequestedCertificate,
  { publicKey, sign }: RequestingKey,
): Promise<string> {
  if (!isP256(publicKey)) throw configurationFault('signing_key_not_p256');
  const info = requestInfo(wanted, publicKey);
  const raw = await sign(new Uint8Array(info.toBER()));
  const request = new Sequence({
    value: [
      info,
      AsnSerializer.toASN(new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 })),
      new BitString({ valueHex: new Uint8Array(derSignature(raw)) }),
    ],
  });
  const der = Buffer.from(request.toBER());
  if (isSignedByItsKey(der)) return pemText('CERTIFICATE REQUEST', der);
  throw new ProcessingFailure('signature_invalid', 'the signature of the request does not verify with the key in it');
}
