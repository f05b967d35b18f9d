import { Reflector } from '@nestjs/core';
import type { WalletEndpoint } from '@vestibule/foundation';

/** How the errors of one endpoint differ from those of the others. */
export interface OAuthTraits {
  /** Its name in the table of OAuth errors, which lists statuses for it. */
  readonly endpoint?: WalletEndpoint;
  /** A body of an unsupported media type is 415 here, not 400. */
  readonly refusesMediaTypes?: true;
}

/** Declares how the errors of a route differ: `@OAuthEndpoint({ endpoint: 'token' })`. */
export const OAuthEndpoint = Reflector.createDecorator<OAuthTraits>();
