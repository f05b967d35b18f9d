import { Reflector } from '@nestjs/core';
import type { WalletEndpoint } from '@vestibule/foundation';

/** What an endpoint says in errors that the others do not say so. */
export interface OAuthTraits {
  /** Its name in the table of OAuth errors, which has statuses for it. */
  readonly endpoint?: WalletEndpoint;
  /** A body of another media type is 415 here and not 400. */
  readonly refusesMediaTypes?: true;
}

/** Says how the errors of a route differ: `@OAuthEndpoint({ endpoint: 'token' })`. */
export const OAuthEndpoint = Reflector.createDecorator<OAuthTraits>();
