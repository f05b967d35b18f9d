import { sha256Base64url } from '@vestibule/crypto';
import type { Certificate } from './certificate';
import type { ExtendedKeyUsagePolicy } from './extended-key-usage';
import { x509Failure } from './failures';
import { checkTrustAnchors, type Purpose, type TrustAnchor } from './trust-anchor';
import { judgeChain, linkChain, type ChainContext, type LinkedChain, type VerifiedChain } from './verify-chain';
import { hasEnded } from './verify-links';
import { isX5cShape, parseX5c } from './x5c';

/** Parses and verifies `x5c` headers, and remembers whose signatures hold. */
export interface ChainVerifier {
  readonly anchors: readonly TrustAnchor[];
  /** As `parseX5c`, then `verifyChain`; time and scope are judged on every call, remembered or not. */
  verify(x5c: unknown, context: ChainContext): VerifiedChain;
}

/** A map that forgets what was not used for longest. */
function createRecentMap<T>(maxEntries: number) {
  const entries = new Map<string, T>();
  const keep = (key: string, value: T): void => {
    entries.delete(key);
    entries.set(key, value);
    const oldest = entries.keys().next();
    if (entries.size > maxEntries && !oldest.done) entries.delete(oldest.value);
  };
  return {
    keep,
    drop: (key: string) => entries.delete(key),
    find(key: string): T | undefined {
      const value = entries.get(key);
      if (value !== undefined) keep(key, value);
      return value;
    },
  };
}

/** Longer ones are never remembered: memory is bounded by entries and by this many characters each. */
const MAX_REMEMBERED_LENGTH = 16_384;

/** How a verifier judges every chain. */
export interface ChainVerifierOptions {
  readonly maxEntries: number;
  /** The difference of clocks that is forgiven in the dates of certificates. Default 0. */
  readonly skewSeconds?: number;
  /** Default `enforce`. */
  readonly extendedKeyUsage?: ExtendedKeyUsagePolicy;
  /** Hears of a chain, when it is new, that is only taken because extended key usage is reported. */
  readonly reportUsage?: (leaf: Certificate, purpose: Purpose) => void;
}

/**
 * Makes a verifier that remembers up to `maxEntries` chains below an anchor, and as many without one, by the SHA-256 of
 * `x5c`, until the first of their certificates ends. Strangers' chains can therefore not displace trusted ones.
 * Throws `trust_anchor_invalid` for an anchor that could never certify anything.
 */
export function createChainVerifier(
  anchors: readonly TrustAnchor[],
  { maxEntries, reportUsage, ...rules }: ChainVerifierOptions,
): ChainVerifier {
  checkTrustAnchors(anchors);
  const [anchored, unanchored] = [createRecentMap<LinkedChain>(maxEntries), createRecentMap<LinkedChain>(maxEntries)];
  return {
    anchors,
    verify(x5c, scope) {
      const context = { ...rules, ...scope };
      if (!isX5cShape(x5c)) throw x509Failure('x5c_malformed');
      const text = JSON.stringify(x5c);
      const key = sha256Base64url(text);
      const remembered = anchored.find(key) ?? unanchored.find(key);
      const linked = remembered ?? linkChain(parseX5c(x5c), anchors);
      const memory = linked.certifiedBy.length > 0 ? anchored : unanchored;
      if (linked.chain.some((certificate) => hasEnded(certificate, context))) memory.drop(key);
      else if (text.length <= MAX_REMEMBERED_LENGTH) memory.keep(key, linked);
      const verified = judgeChain(linked, anchors, context);
      if (!verified.isForPurpose && !remembered) reportUsage?.(verified.leaf, context.purpose);
      return verified;
    },
  };
}
