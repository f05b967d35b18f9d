import 'reflect-metadata';
import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type JsonGeneralNames,
} from '@peculiar/x509';

export type KeyUsageName = keyof typeof KeyUsageFlags;

/** An extension for a certificate. */
export interface RawExtension {
  readonly oid: string;
  readonly critical: boolean;
  /** DER of the extension's value. */
  readonly value: Uint8Array;
}

/** The extensions that restrict the use of a certificate; all have sensible defaults. */
export interface ExtensionOptions {
  readonly dnsNames?: readonly string[];
  readonly uris?: readonly string[];
  /** `null` omits the extension. Default: keyCertSign and cRLSign for a CA, digitalSignature otherwise. */
  readonly keyUsages?: readonly KeyUsageName[] | null;
  /** Default false; `null` omits basicConstraints. */
  readonly ca?: boolean | null;
  readonly pathLength?: number;
  /** `null` omits the extension. Default: SHA-1 over the public key (RFC 5280 §4.2.1.2). */
  readonly subjectKeyIdentifier?: Uint8Array | null;
  /** `null` omits the extension. Default: the issuer's subject key identifier. */
  readonly authorityKeyIdentifier?: Uint8Array | null;
  /** Added unchanged, after all others. */
  readonly extensions?: readonly RawExtension[];
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
export const exactBuffer = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

/** SHA-1 over the bits of the public key: the usual key identifier (RFC 5280 §4.2.1.2 (1)). */
export function keyIdentifier(key: KeyObject): Buffer {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha1').update(subjectPublicKeyBits(spki)).digest();
}

/** The content of the BIT STRING that ends a SubjectPublicKeyInfo. */
function subjectPublicKeyBits(spki: Buffer): Buffer {
  const headerLength = (at: number): number => {
    const length = spki[at + 1] ?? 0;
    return length < 0x80 ? 2 : 2 + (length & 0x7f);
  };
  const algorithm = headerLength(0);
  const bits = algorithm + headerLength(algorithm) + (spki[algorithm + 1] ?? 0);
  return spki.subarray(bits + headerLength(bits) + 1);
}

function constraints(options: ExtensionOptions): Extension[] {
  const ca = options.ca ?? false;
  const usages = options.keyUsages === undefined ? (ca ? CA_USAGES : LEAF_USAGES) : (options.keyUsages ?? []);
  const flags = usages.reduce((sum, name) => sum | KeyUsageFlags[name], 0);
  return [
    ...(options.ca === null ? [] : [new BasicConstraintsExtension(ca, options.pathLength, true)]),
    ...(options.keyUsages === null ? [] : [new KeyUsagesExtension(flags, true)]),
  ];
}
const CA_USAGES: readonly KeyUsageName[] = ['keyCertSign', 'cRLSign'];
const LEAF_USAGES: readonly KeyUsageName[] = ['digitalSignature'];

function alternativeNames({ dnsNames = [], uris = [] }: ExtensionOptions): Extension[] {
  const names: JsonGeneralNames = [
    ...dnsNames.map((value) => ({ type: 'dns', value }) as const),
    ...uris.map((value) => ({ type: 'url', value }) as const),
  ];
  return names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)];
}

/** The extensions of one certificate, from the options and the two keys. */
export function buildExtensions(options: ExtensionOptions, subject: KeyObject, issuer: KeyObject): Extension[] {
  const ski = options.subjectKeyIdentifier === undefined ? keyIdentifier(subject) : options.subjectKeyIdentifier;
  const aki = options.authorityKeyIdentifier === undefined ? keyIdentifier(issuer) : options.authorityKeyIdentifier;
  return [
    ...constraints(options),
    ...(ski ? [new SubjectKeyIdentifierExtension(hex(ski))] : []),
    ...(aki ? [new AuthorityKeyIdentifierExtension(hex(aki))] : []),
    ...alternativeNames(options),
    ...(options.extensions ?? []).map(({ oid, critical, value }) => new Extension(oid, critical, exactBuffer(value))),
  ];
}
