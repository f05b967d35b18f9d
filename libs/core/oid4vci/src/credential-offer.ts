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

/** The link for QR code and deep link: it names where the offer object is, nothing else (OpenID4VCI 1.0 §4.1.3). */
export function credentialOfferUri(issuerUrl: string, offerId: string): string {
  const address = encodeURIComponent(offerUrl(issuerUrl, offerId));
  return `openid-credential-offer://?credential_offer_uri=${address}`;
}
