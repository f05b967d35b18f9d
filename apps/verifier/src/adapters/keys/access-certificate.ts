import { ProcessingFailure } from '@vestibule/foundation';
import type { RequestSigner } from '@vestibule/oid4vp';
import { requireMaySignAt, type SigningPair } from '@vestibule/x509-trust';

/** The certificates that this verifier is known by, with their keys: one of them signs new requests. */
export interface AccessCertificates {
  /**
   * `client_id` of new requests (OpenID4VP 1.0 §5.9.3): that of the valid certificate that was issued last.
   * Throws a configuration fault when none is valid at `now`.
   */
  currentClientId(now: Date): string;
  /** Signs requests that were made with `clientId`; throws when that certificate is not configured or not valid any more. */
  signerOf(clientId: string, now: Date): RequestSigner;
  isValidAt(now: Date): boolean;
  /** The end of the time, from `now` on without gap, in which one of them is valid; undefined where none is now. */
  validUntil(now: Date): Date | undefined;
}

type Validity = Pick<SigningPair['certificate'], 'notBefore' | 'notAfter'>;

const isValid = ({ notBefore, notAfter }: Validity, now: Date): boolean => now >= notBefore && now <= notAfter;
const clientIdOf = ({ certificate }: SigningPair): string => `x509_hash:${certificate.hash}`;

function newestFirst({ certificate: a }: SigningPair, { certificate: b }: SigningPair): number {
  return b.leaf.notBefore.getTime() - a.leaf.notBefore.getTime() || b.notAfter.getTime() - a.notAfter.getTime();
}

/** The latest end among those that begin before `until`, again and again as long as it grows. */
function coveredUntil(validities: readonly Validity[], until: Date): Date {
  const ends = validities.filter(({ notBefore }) => notBefore <= until).map(({ notAfter }) => notAfter.getTime());
  const end = Math.max(until.getTime(), ...ends);
  return end === until.getTime() ? until : coveredUntil(validities, new Date(end));
}

/** Chooses among the configured certificates, of which there is at least one; of two equal ones the first counts. */
export function accessCertificatesOf(pairs: readonly SigningPair[]): AccessCertificates {
  const [newest, ...older] = [...pairs].sort(newestFirst);
  if (!newest) throw new RangeError('no access certificate is configured');
  const all = [newest, ...older];
  const isValidAt = (now: Date): boolean => all.some(({ certificate }) => isValid(certificate, now));
  return {
    isValidAt,
    currentClientId(now) {
      const current = all.find(({ certificate }) => isValid(certificate, now)) ?? newest;
      requireMaySignAt(current.certificate, now);
      return clientIdOf(current);
    },
    signerOf(clientId, now) {
      const pair = pairs.find((candidate) => clientIdOf(candidate) === clientId);
      if (!pair) {
        throw new ProcessingFailure(
          'access_certificate_replaced',
          'the access certificate of the request is no longer configured',
        );
      }
      requireMaySignAt(pair.certificate, now);
      return { key: pair.key, x5c: pair.certificate.x5c };
    },
    validUntil: (now) =>
      isValidAt(now)
        ? coveredUntil(
            all.map(({ certificate }) => certificate),
            now,
          )
        : undefined,
  };
}
