import type { KeyObject } from 'node:crypto';
import type { Certificate } from './certificate';
import { isSignedBy } from './certificate-algorithms';
import type { TrustAnchor } from './trust-anchor';
import { isNamedIssuer } from './verify-links';

/**
 * How many keys of one list are tried for one certificate. An authority seldom has more than two or three keys under one
 * name, and those who put others on a list choose the names. A try costs up to 2 ms (P-521).
 */
const MAX_KEYS_OF_A_NAME = 16;

const texts = new WeakMap<KeyObject, string>();

/** Equal for equal keys: an anchor is asked for its key again and again. */
function textOf(key: KeyObject): string {
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = key.export({ type: 'spki', format: 'der' }).toString('base64');
  texts.set(key, text);
  return text;
}

/** First those that the certificate says have signed it, then those that do not say who they are (RFC 5280 §4.2.1.1). */
function likelyFirst(
  { authorityKeyIdentifier: named }: Certificate,
  anchors: readonly TrustAnchor[],
): readonly TrustAnchor[] {
  if (!named) return anchors;
  const unlikelihood = ({ certificate: { subjectKeyIdentifier: own } }: TrustAnchor) => {
    if (!own) return 1;
    return own.equals(named) ? 0 : 2;
  };
  return [0, 1, 2].flatMap((degree) => anchors.filter((anchor) => unlikelihood(anchor) === degree));
}

/** Those of one list, of which only so many keys are tried. */
function signersAmong(certificate: Certificate, anchors: readonly TrustAnchor[]): readonly TrustAnchor[] {
  const verdicts = new Map<string, boolean>();
  return likelyFirst(certificate, anchors).filter(({ certificate: { publicKey } }) => {
    const text = textOf(publicKey);
    const known = verdicts.get(text);
    if (known !== undefined || verdicts.size >= MAX_KEYS_OF_A_NAME) return known ?? false;
    const isSigner = isSignedBy(certificate, publicKey);
    verdicts.set(text, isSigner);
    return isSigner;
  });
}

/**
 * The anchors that certified a certificate: its issuer has their name, and their key signed it. Of each list of trusted
 * entities at most {@link MAX_KEYS_OF_A_NAME} keys are tried, so that nobody who fills a list can make chains expensive, nor
 * displace the authorities of another list. All anchors of the operator's own file are tried.
 */
export function anchorsThatCertified(
  certificate: Certificate,
  anchors: readonly TrustAnchor[],
): readonly TrustAnchor[] {
  const named = anchors.filter(
    ({ certificate: authority, isSigner }) => !isSigner && isNamedIssuer(certificate, authority),
  );
  const lists = new Set(named.map(({ list }) => list));
  const signers = new Set(
    [...lists].flatMap((list) => {
      const own = named.filter((anchor) => anchor.list === list);
      if (list !== undefined) return signersAmong(certificate, own);
      return own.filter(({ certificate: authority }) => isSignedBy(certificate, authority.publicKey));
    }),
  );
  return named.filter((anchor) => signers.has(anchor));
}

/** How many names more keys bear than are tried, on one list. */
export function crowdedNames(anchors: readonly TrustAnchor[]): number {
  const keys = new Map<string, Set<string>>();
  for (const { certificate, isSigner } of anchors) {
    if (isSigner) continue;
    const name = certificate.subject.toString('base64');
    const known = keys.get(name) ?? new Set();
    keys.set(name, known.add(textOf(certificate.publicKey)));
  }
  return [...keys.values()].filter(({ size }) => size > MAX_KEYS_OF_A_NAME).length;
}
