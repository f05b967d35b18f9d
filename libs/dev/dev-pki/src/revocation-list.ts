import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { Certificate } from '@peculiar/asn1-x509';
import { CRLDistributionPointsExtension, Extension, X509CrlGenerator } from '@peculiar/x509';
import type { Authority, IssuedCertificate } from './certificate-authority';
import { exactBuffer, type RawExtension } from './certificate-extensions';
import { signingAlgorithm, toSigningKey } from './key-pair';

export interface RevocationListOptions {
  /** The revoked certificates. */
  readonly revoked?: readonly Pick<IssuedCertificate, 'certificate'>[];
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
  readonly extensions?: readonly RawExtension[];
}

/**
 * The extension with the addresses of a certificate's revocation list (RFC 5280 §4.2.1.13), for
 * `IssueOptions.extensions`.
 */
export function crlDistributionPoints(...uris: readonly string[]): RawExtension {
  const { type, critical, value } = new CRLDistributionPointsExtension([...uris]);
  return { oid: type, critical, value: new Uint8Array(value) };
}

/** A certificate revocation list (RFC 5280 §5), DER, signed by the authority. */
export async function createRevocationList(
  { name, privateKey }: Pick<Authority, 'name' | 'privateKey'>,
  { revoked = [], thisUpdate, nextUpdate, extensions = [] }: RevocationListOptions,
): Promise<Buffer> {
  const entries = revoked.map(({ certificate }) => ({
    serialNumber: Buffer.from(AsnConvert.parse(certificate, Certificate).tbsCertificate.serialNumber).toString('hex'),
    revocationDate: thisUpdate,
  }));
  const signer = {
    signingKey: await toSigningKey(privateKey, 'SHA-256'),
    signingAlgorithm: signingAlgorithm(privateKey, 'SHA-256'),
  };
  const list = await X509CrlGenerator.create(
    {
      issuer: `CN=${name}`,
      thisUpdate,
      nextUpdate,
      entries,
      extensions: extensions.map(({ oid, critical, value }) => new Extension(oid, critical, exactBuffer(value))),
      ...signer,
    },
    webcrypto,
  );
  return Buffer.from(list.rawData);
}
