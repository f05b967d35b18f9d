import type { IssuedJsonObject } from '@vestibule/foundation';

/** What matching needs to know of one presentation whose signatures were verified before. */
export interface PresentedCredential {
  readonly vct: string;
  /** The processed payload with everything that was disclosed, holes for undisclosed array elements, `iss` and `vct` included. */
  readonly claims: IssuedJsonObject;
  /** AuthorityKeyIdentifier.keyIdentifier of the certificates in its chain that say the truth: base64url without padding. */
  readonly authorityKeyIdentifiers: readonly string[];
}
