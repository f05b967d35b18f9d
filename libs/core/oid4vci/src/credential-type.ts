import type { ClaimMetadata } from './claim-metadata';
import type { ClaimNode } from './claim-tree';

/** How a wallet shows a credential of the type in one language (SD-JWT VC §8). */
export interface TypeDisplay {
  readonly locale: string;
  readonly name: string;
  readonly description?: string;
  readonly logo?: { readonly uri: string; readonly altText?: string };
  readonly backgroundImage?: { readonly uri: string };
  readonly backgroundColor?: string;
  readonly textColor?: string;
}

/** A credential type that this issuer issues: its Type Metadata document and what it means with all that it extends. */
export interface CredentialType {
  readonly configurationId: string;
  readonly vct: string;
  /** Exactly what is served as the Type Metadata document. */
  readonly bytes: Uint8Array;
  /** `vct#integrity`: `sha256-` and the padded base64 of the hash of `bytes` (SD-JWT VC §7). */
  readonly integrity: string;
  readonly display: readonly TypeDisplay[];
  readonly claims: readonly ClaimMetadata[];
  readonly claimTree: ClaimNode;
}

/** The scope that stands for a configuration, in the metadata and in token responses (OpenID4VCI 1.0 §12.2.4). */
export const scopeOf = (configurationId: string): string => configurationId;
