import { sha256Base64url, type EcCurve } from '@vestibule/crypto';
import type { Certificate } from './certificate';
import type { ExtendedKeyUsagePolicy } from './extended-key-usage';
import { x509Failure } from './failures';
import { checkTrustAnchors, type Purpose, type TrustAnchor } from './trust-anchor';
import {
  isAnchored,
  judgeChain,
  linkChain,
  readChain,
  refuseUnanchored,
  restrictedOf,
  type ChainContext,
  type LinkedChain,
  type VerifiedChain,
} from './verify-chain';
import { hasEnded } from './verify-links';
import { isX5cShape, parseX5c } from './x5c';

/** Parses and verifies `x5c` headers, and remembers whose signatures hold. */
export interface ChainVerifier {
  readonly anchors: readonly TrustAnchor[];
  /** As `parseX5c`, then `verifyChain`; time and scope are judged on every call, remembered or not. */
  verify(x5c: unknown, context: ChainContext): VerifiedChain;
}

/** A map that forgets what was not used for longest, so that it has at most so many entries of so many characters together. */
function createRecentMap<T>(maxEntries: number, maxCharacters: number) {
  const entries = new Map<string, { readonly value: T; readonly characters: number }>();
  let total = 0;
  const drop = (key: string): void => {
    total -= entries.get(key)?.characters ?? 0;
    entries.delete(key);
  };
  const keep = (key: string, value: T, characters: number): void => {
    drop(key);
    if (characters > maxCharacters) return;
    entries.set(key, { value, characters });
    total += characters;
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries && total <= maxCharacters) return;
      drop(oldest);
    }
  };
  return {
    keep,
    drop,
    find(key: string): T | undefined {
      const entry = entries.get(key);
      if (entry) keep(key, entry.value, entry.characters);
      return entry?.value;
    },
  };
}

/** Of the `x5c` of all chains that are remembered; their certificates take about twice as many bytes. */
const MAX_CHARACTERS = 8 * 1_048_576;

/** How a verifier judges every chain. */
export interface ChainVerifierOptions {
  readonly maxEntries: number;
  /** Characters of `x5c` that the remembered chains below an anchor may have together, and as many those without. Default 8 Mi. */
  readonly maxCharacters?: number;
  /** The difference of clocks that is forgiven in the dates of certificates. Default 0. */
  readonly skewSeconds?: number;
  /** Where the keys of leaves may be; default P-256 alone. */
  readonly leafCurves?: readonly EcCurve[];
  /** Default `enforce`. */
  readonly extendedKeyUsage?: ExtendedKeyUsagePolicy;
  /**
   * Called once for a chain that is accepted only because extended key usage is merely reported, with its first such
   * certificate.
   */
  readonly reportUsage?: (restricted: Certificate, purpose: Purpose) => void;
}

/**
 * Creates a verifier that caches up to `maxEntries` chains below an anchor, and as many without one, by the SHA-256 of
 * `x5c`, until the first of their certificates expires: the signatures of a chain are verified once, and only after it
 * is known whether an anchor certified it. Untrusted chains cannot evict trusted ones. Throws `trust_anchor_invalid`
 * for an anchor that could never certify anything.
 */
export function createChainVerifier(
  anchors: readonly TrustAnchor[],
  { maxEntries, maxCharacters = MAX_CHARACTERS, leafCurves, reportUsage, ...rules }: ChainVerifierOptions,
): ChainVerifier {
  checkTrustAnchors(anchors);
  const anchored = createRecentMap<LinkedChain>(maxEntries, maxCharacters);
  const unanchored = createRecentMap<LinkedChain>(maxEntries, maxCharacters);
  const judged = new WeakSet<LinkedChain>();

  function link(x5c: unknown, context: ChainContext): LinkedChain {
    const read = readChain(parseX5c(x5c), anchors, leafCurves);
    if (context.needsAnchor && !isAnchored(read)) refuseUnanchored(read, anchors, context);
    return linkChain(read, anchors);
  }

  return {
    anchors,
    verify(x5c, scope) {
      const context = { ...rules, ...scope };
      if (!isX5cShape(x5c)) throw x509Failure('x5c_malformed');
      const text = JSON.stringify(x5c);
      const key = sha256Base64url(text);
      const remembered = anchored.find(key) ?? unanchored.find(key);
      const linked = remembered ?? link(x5c, context);
      const memory = isAnchored(linked) ? anchored : unanchored;
      if (linked.chain.some((certificate) => hasEnded(certificate, context))) memory.drop(key);
      else memory.keep(key, linked, text.length);
      const verified = judgeChain(linked, anchors, context);
      if (context.needsAnchor && !isAnchored(linked)) throw x509Failure('untrusted_issuer');
      // Of a chain whose anchor is judged later, the anchor may be what is restricted.
      if (context.judgesAnchorLater || judged.has(linked)) return verified;
      judged.add(linked);
      const restricted = restrictedOf(verified, context.purpose);
      if (restricted) reportUsage?.(restricted, context.purpose);
      return verified;
    },
  };
}
