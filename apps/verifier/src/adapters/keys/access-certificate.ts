import { ProcessingFailure } from '@vestibule/foundation';
import type { RequestSigner } from '@vestibule/oid4vp';
import { requireMaySignAt, type CertifiedSigner } from '@vestibule/x509-trust';

/** The certificates that identify this verifier, with their keys: one of them signs new requests. */
export interface AccessCertificates {
  /**
   * `client_id` of new requests (OpenID4VP 1.0 §5.9.3): that of the most recently issued valid certificate. Throws a
   * configuration fault if none is valid at `now`.
   */
  currentClientId(now: Date): string;
  /** Signs requests that were made with `clientId`; throws if that certificate is no longer configured or valid. */
  signerOf(clientId: string, now: Date): RequestSigner;
  isValidAt(now: Date): boolean;
  /** The chains that may sign now, as they go into `x5c`. */
  chainsAt(now: Date): readonly (readonly string[])[];
  /**
   * The end of the period, without gaps from `now` on, in which at least one of them is valid; undefined if none is
   * valid now.
   */
  validUntil(now: Date): Date | undefined;
  /** Has each key sign a probe; throws `signer_unavailable` or `signature_invalid`. */
  check(): Promise<void>;
}

type Validity = Pick<CertifiedSigner['certificate'], 'notBefore' | 'notAfter'>;

const isValid = ({ notBefore, notAfter }: Validity, now: Date): boolean => now >= notBefore && now <= notAfter;
const clientIdOf = ({ certificate }: CertifiedSigner): string => `x509_hash:${certificate.hash}`;

function newestFirst({ certificate: a }: CertifiedSigner, { certificate: b }: CertifiedSigner): number {
  return b.leaf.notBefore.getTime() - a.leaf.notBefore.getTime() || b.notAfter.getTime() - a.notAfter.getTime();
}

/** Repeatedly extends `until` to the latest end among the periods that begin before it. */
function coveredUntil(validities: readonly Validity[], until: Date): Date {
  const ends = validities.filter(({ notBefore }) => notBefore <= until).map(({ notAfter }) => notAfter.getTime());
  const end = Math.max(until.getTime(), ...ends);
  return end === until.getTime() ? until : coveredUntil(validities, new Date(end));
}

/** Chooses among the configured certificates, of which there is at least one; of two equal ones the first wins. */
export function accessCertificatesOf(pairs: readonly CertifiedSigner[]): AccessCertificates {
  const [newest, ...older] = [...pairs].sort(newestFirst);
  if (!newest) throw new RangeError('no access certificate is configured');
  const all = [newest, ...older];
  const isValidAt = (now: Date): boolean => all.some(({ certificate }) => isValid(certificate, now));
  return {
    isValidAt,
    chainsAt: (now) => all.filter(({ certificate }) => isValid(certificate, now)).map((pair) => pair.certificate.x5c),
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
      return { sign: pair.signer.sign, x5c: pair.certificate.x5c };
    },
    validUntil: (now) =>
      isValidAt(now)
        ? coveredUntil(
            all.map(({ certificate }) => certificate),
            now,
          )
        : undefined,
    check: async () => void (await Promise.all(pairs.map(({ signer }) => signer.check()))),
  };
}
