import { AsnArray, AsnProp, AsnPropTypes, AsnType, AsnTypeTypes } from '@peculiar/asn1-schema';
import { CertificatePolicies, ExtendedKeyUsage } from '@peculiar/asn1-x509';
import { parseDer } from './asn1';

/** `QCStatement` of RFC 3739 §3.2.6. */
@AsnType({ type: AsnTypeTypes.Sequence })
class QcStatement {
  @AsnProp({ type: AsnPropTypes.ObjectIdentifier })
  statementId = '';

  @AsnProp({ type: AsnPropTypes.Any, optional: true })
  statementInfo?: ArrayBuffer;
}

@AsnType({ type: AsnTypeTypes.Sequence, itemType: QcStatement })
class QcStatements extends AsnArray<QcStatement> {}

/** QcType of ETSI EN 319 412-5 §4.2.3: a sequence of object identifiers, as extended key usage is. */
const QC_TYPE = '0.4.0.1862.1.6';

/**
 * The object identifiers in the extension qcStatements: those of its statements, and those in QcType. Certificates of the EU's
 * reference environment have the types of PID and wallet providers as statements of their own. Throws `certificate_malformed`.
 */
export function readQcStatements(value: Buffer): readonly string[] {
  return [...parseDer(value, QcStatements)].flatMap(({ statementId, statementInfo }) => [
    statementId,
    ...(statementId === QC_TYPE && statementInfo ? parseDer(Buffer.from(statementInfo), ExtendedKeyUsage) : []),
  ]);
}

/** The object identifiers in the extension certificatePolicies. Throws `certificate_malformed`. */
export function readPolicies(value: Buffer): readonly string[] {
  return [...parseDer(value, CertificatePolicies)].map(({ policyIdentifier }) => policyIdentifier);
}

/** Where a statement of practices is, and a notice for people (RFC 5280 §4.2.1.4). */
const QUALIFIERS: readonly string[] = ['1.3.6.1.5.5.7.2.1', '1.3.6.1.5.5.7.2.2'];

/** True unless the extension certificatePolicies qualifies a policy by more than texts for people. Throws `certificate_malformed`. */
export function areKnownPolicies(value: Buffer): boolean {
  return [...parseDer(value, CertificatePolicies)].every(({ policyQualifiers = [] }) =>
    policyQualifiers.every(({ policyQualifierId }) => QUALIFIERS.includes(policyQualifierId)),
  );
}
