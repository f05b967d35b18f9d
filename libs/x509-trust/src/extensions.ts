import { DER_TAG, readBoolean, readInside, readOid, readOnly, requireTag, type DerElement } from './der';
import { x509Failure } from './failures';

const MAX_EXTENSIONS = 64;

/** One extension of a certificate or a revocation list (RFC 5280 §4.1). */
export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  /** DER of what the extension says. */
  readonly value: Buffer;
}

function readExtension(element: DerElement): Extension {
  const parts = readInside(element, DER_TAG.sequence, 3);
  const oid = readOid(parts[0]);
  const critical = parts.length === 3 ? readBoolean(parts[1] as DerElement) : false;
  if (parts.length < 2) throw x509Failure('certificate_malformed');
  return { oid, critical, value: requireTag(parts.at(-1), DER_TAG.octetString).content };
}

/**
 * The content of an extensions field by object identifier; nothing for `undefined`. Throws `certificate_malformed`, also
 * for more than 64 extensions and for one that occurs twice (RFC 5280 §4.2).
 */
export function readExtensions(field: Buffer | undefined): ReadonlyMap<string, Extension> {
  const elements = field ? readInside(readOnly(field), DER_TAG.sequence, MAX_EXTENSIONS) : [];
  const byOid = new Map(elements.map(readExtension).map((extension) => [extension.oid, extension]));
  if (byOid.size !== elements.length) throw x509Failure('certificate_malformed', 'an extension occurs twice');
  return byOid;
}
