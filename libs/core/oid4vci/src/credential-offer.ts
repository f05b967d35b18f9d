import { walletEndpointFault, withQueryParameters } from '@vestibule/foundation';
import { offerUrl } from './issuer-url';
import type { TxCodeRequest } from './tx-code';

/** The grant type of the pre-authorized code flow (OpenID4VCI 1.0 §4.1.1). */
export const PRE_AUTHORIZED_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';

/** The offer object that a wallet fetches (OpenID4VCI 1.0 §4.1.1): no claims and no transaction code. */
export interface CredentialOffer {
  readonly credential_issuer: string;
  readonly credential_configuration_ids: string[];
  readonly grants: {
    readonly [PRE_AUTHORIZED_CODE_GRANT]: {
      readonly 'pre-authorized_code': string;
      readonly tx_code?: { input_mode: string; length: number; description?: string };
    };
  };
}

export interface CredentialOfferInput {
  readonly issuerUrl: string;
  readonly configurationId: string;
  readonly preAuthorizedCode: string;
  /** Present when the wallet has to ask its user for a code. */
  readonly txCode: TxCodeRequest | undefined;
}

/** Builds the offer object for one credential configuration. */
export function buildCredentialOffer(input: CredentialOfferInput): CredentialOffer {
  const { txCode } = input;
  const description = txCode?.description === undefined ? {} : { description: txCode.description };
  const asked = txCode && { input_mode: txCode.inputMode, length: txCode.length, ...description };
  const grant = { 'pre-authorized_code': input.preAuthorizedCode, ...(asked ? { tx_code: asked } : {}) };
  return {
    credential_issuer: input.issuerUrl,
    credential_configuration_ids: [input.configurationId],
    grants: { [PRE_AUTHORIZED_CODE_GRANT]: grant },
  };
}

/** Invokes any wallet that takes credential offers (OpenID4VCI 1.0 §4.1). */
export const DEFAULT_CREDENTIAL_OFFER_ENDPOINT = 'openid-credential-offer://';

/** The custom schemes by which wallets take offers: OpenID4VCI 1.0 §4.1, and that of HAIP 1.0 §4.2. */
const CREDENTIAL_OFFER_SCHEMES = ['openid-credential-offer', 'haip-vci'];

const PARAMETERS = ['credential_offer_uri', 'credential_offer'];

/** The fault in the `credential_offer_endpoint` of a wallet, or undefined: a known scheme, one of `more`, or an https URL. */
export function credentialOfferEndpointFault(text: string, more: readonly string[] = []): string | undefined {
  return walletEndpointFault(text, { schemes: [...CREDENTIAL_OFFER_SCHEMES, ...more], parameters: PARAMETERS });
}

/**
 * The link for QR code and deep link: it names where the offer object is, nothing else (OpenID4VCI 1.0 §4.1.3). The
 * endpoint is the wallet's.
 */
export function credentialOfferUri(endpoint: string, issuerUrl: string, offerId: string): string {
  return withQueryParameters(endpoint, [['credential_offer_uri', offerUrl(issuerUrl, offerId)]]);
}
