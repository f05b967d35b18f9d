import {
  buildCredentialOffer,
  credentialOfferEndpointFault,
  credentialOfferUri,
  DEFAULT_CREDENTIAL_OFFER_ENDPOINT,
  PRE_AUTHORIZED_CODE_GRANT,
} from './index';

const issuerUrl = 'https://c.example.com/issuer';
const input = { issuerUrl, configurationId: 'pid', preAuthorizedCode: 'secret', txCode: undefined };

describe('buildCredentialOffer', () => {
  it('VCI:O4 VCI:O10 has the issuer, one configuration and the pre-authorized code grant, nothing else', () => {
    expect(buildCredentialOffer(input)).toEqual({
      credential_issuer: issuerUrl,
      credential_configuration_ids: ['pid'],
      grants: { [PRE_AUTHORIZED_CODE_GRANT]: { 'pre-authorized_code': 'secret' } },
    });
  });

  it('VCI:O7 VCI:O8 describes the transaction code that was asked for', () => {
    const offer = buildCredentialOffer({
      ...input,
      txCode: { inputMode: 'text', length: 8, description: 'by letter' },
    });
    expect(offer.grants[PRE_AUTHORIZED_CODE_GRANT].tx_code).toEqual({
      input_mode: 'text',
      length: 8,
      description: 'by letter',
    });
    const short = buildCredentialOffer({ ...input, txCode: { inputMode: 'numeric', length: 6 } });
    expect(short.grants[PRE_AUTHORIZED_CODE_GRANT].tx_code).toEqual({ input_mode: 'numeric', length: 6 });
  });
});

describe('credentialOfferUri', () => {
  it('VCI:O1 VCI:O16 names the percent-encoded address of the offer, and only that', () => {
    const uri = credentialOfferUri(DEFAULT_CREDENTIAL_OFFER_ENDPOINT, issuerUrl, 'abc_-9');
    expect(uri).toBe(
      'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fc.example.com%2Fissuer%2Foidc4vci%2Foffers%2Fabc_-9',
    );
    const parameters = [...new URL(uri).searchParams];
    expect(parameters).toEqual([['credential_offer_uri', `${issuerUrl}/oidc4vci/offers/abc_-9`]]);
  });

  it.each(['haip-vci://', 'https://wallet.example/offer?lang=de'])('18.11 invokes the wallet at %s', (endpoint) => {
    expect(credentialOfferEndpointFault(endpoint)).toBeUndefined();
    const uri = credentialOfferUri(endpoint, issuerUrl, 'abc_-9');
    expect(uri.startsWith(endpoint)).toBe(true);
    expect(new URL(uri).searchParams.getAll('credential_offer_uri')).toEqual([`${issuerUrl}/oidc4vci/offers/abc_-9`]);
  });

  it('18.11 refuses what invokes something else, or names another offer', () => {
    for (const endpoint of ['openid4vp://', 'javascript:alert(1)', 'haip-vci://?credential_offer=%7B%7D']) {
      expect(credentialOfferEndpointFault(endpoint)).toBeDefined();
    }
    expect(credentialOfferEndpointFault('eudiw://', ['eudiw'])).toBeUndefined();
  });
});
