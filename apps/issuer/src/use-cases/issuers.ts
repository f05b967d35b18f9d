import { DomainError } from '@vestibule/foundation';
import type { acceptNotification } from './accept-notification';
import type { exchangePreAuthorizedCode } from './exchange-pre-authorized-code';
import type { getSignedMetadata } from './get-signed-metadata';
import type { getStatusList } from './get-status-list';
import type { issueChallenge } from './issue-challenge';
import type { issueCredential } from './issue-credential';
import type { issueDeferredCredential } from './issue-deferred-credential';
import type { issueNonce } from './issue-nonce';
import type { getOfferObject } from './read-credential-offer';
import type { getIssuerDocument, getTypeMetadata } from './read-documents';

/** What wallets and everybody may ask of one issuer identifier. */
export interface WalletUseCases {
  readonly acceptNotification: ReturnType<typeof acceptNotification>;
  readonly exchangePreAuthorizedCode: ReturnType<typeof exchangePreAuthorizedCode>;
  readonly getIssuerDocument: ReturnType<typeof getIssuerDocument>;
  readonly getOfferObject: ReturnType<typeof getOfferObject>;
  readonly getSignedMetadata: ReturnType<typeof getSignedMetadata>;
  readonly getStatusList: ReturnType<typeof getStatusList>;
  readonly getTypeMetadata: ReturnType<typeof getTypeMetadata>;
  readonly issueChallenge: ReturnType<typeof issueChallenge>;
  readonly issueCredential: ReturnType<typeof issueCredential>;
  readonly issueDeferredCredential: ReturnType<typeof issueDeferredCredential>;
  readonly issueNonce: ReturnType<typeof issueNonce>;
}

/** The use cases of each issuer identifier. */
export interface Issuers {
  /** By the name of the identifier; the installation's own without one. Throws `route_not_found` for an unknown one. */
  at(name: string | undefined): WalletUseCases;
}

/** Finds the use cases of an issuer identifier among those of all. */
export function issuersOf(all: ReadonlyMap<string, WalletUseCases>): Issuers {
  return {
    at(name = '') {
      const found = all.get(name);
      if (found) return found;
      throw new DomainError({ kind: 'not_found', code: 'route_not_found', detail: 'there is no issuer of this name' });
    },
  };
}
