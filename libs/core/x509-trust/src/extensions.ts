import type { Extension as ParsedExtension } from '@peculiar/asn1-x509';
import { x509Failure } from './failures';

const MAX_EXTENSIONS = 64;

/** One extension of a certificate or a revocation list (RFC 5280 §4.1). */
export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  /** DER of what the extension says. */
  readonly value: Buffer;
}

/**
 * The extensions by object identifier; nothing for `undefined`. Throws `certificate_malformed` for more than 64
 * extensions and for one that occurs twice (RFC 5280 §4.2).
 */
export function readExtensions(extensions: readonly ParsedExtension[] = []): ReadonlyMap<string, Extension> {
  if (extensions.length > MAX_EXTENSIONS) throw x509Failure('certificate_malformed');
  const byOid = new Map(
    extensions.map(({ extnID: oid, critical, extnValue }) => [
      oid,
      { oid, critical, value: Buffer.from(extnValue.buffer) },
    ]),
  );
  if (byOid.size !== extensions.length) throw x509Failure('certificate_malformed', 'an extension occurs twice');
  return byOid;
}
