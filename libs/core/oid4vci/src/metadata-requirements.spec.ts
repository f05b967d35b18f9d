import { randomBytes } from 'node:crypto';
import type { JsonObject, JsonValue } from '@vestibule/foundation';
import {
  buildAuthorizationServerMetadata,
  buildIssuerMetadata,
  credentialOfferUri,
  DEFAULT_CREDENTIAL_OFFER_ENDPOINT,
  loadCredentialTypes,
  offerUrl,
  parseIssuerUrl,
  requestEncryptionKeys,
} from './index';

const issuerUrl = 'https://c.example.com/issuer';
const ANONYMOUS = { anonymous: true, attestation: false, challenge: true };
const now = new Date('2026-03-01T12:00:00Z');
const encryption = { key: requestEncryptionKeys([randomBytes(32)], now).published, required: false };
const code = (expected: string) => expect.objectContaining({ code: expected });

function metadataOf(url: string): JsonObject {
  const types = loadCredentialTypes(
    [
      { configurationId: 'pid', bytes: Buffer.from('{}') },
      { configurationId: 'diploma', bytes: Buffer.from('{}') },
    ],
    url,
  );
  return buildIssuerMetadata({ issuerUrl: url, types, batchSize: 10, proofTypes: ['jwt'], display: [], encryption });
}

/** Every member name of a document, at any depth. */
function namesIn(value: JsonValue): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...namesIn(member)]);
}

describe('how a wallet asks for a configuration', () => {
  it('VCI:M13 VCI:A10 authorization details are announced, which any configuration needs that has no scope', () => {
    const configurations = metadataOf(issuerUrl)['credential_configurations_supported'] as Record<string, JsonObject>;
    const server = buildAuthorizationServerMetadata(issuerUrl, ANONYMOUS);
    expect(server['authorization_details_types_supported']).toEqual(['openid_credential']);
    expect(Object.entries(configurations).map(([id, { scope }]) => [id, scope])).toEqual([
      ['pid', 'pid'],
      ['diploma', 'diploma'],
    ]);
  });
});

describe('what is not offered', () => {
  it('VCI:A4 VCI:A13 is not in the authorization server’s metadata', () => {
    const flows = [
      'response_types_supported',
      'authorization_endpoint',
      'code_challenge_methods_supported',
      'pushed_authorization_request_endpoint',
      'require_pushed_authorization_requests',
      'authorization_response_iss_parameter_supported',
      'challenge_endpoint',
      'status_list_aggregation_endpoint',
      'jwks_uri',
    ];
    const names = namesIn(buildAuthorizationServerMetadata(issuerUrl, ANONYMOUS));
    expect(flows.filter((name) => names.includes(name))).toEqual([]);
  });

  it('VCI:M20 is not in the issuer’s metadata, nor anything of older drafts', () => {
    const absent = ['key_attestations_required', 'signed_metadata', 'credentials_supported', 'c_nonce'];
    const names = namesIn(metadataOf(issuerUrl));
    expect(absent.filter((name) => names.includes(name))).toEqual([]);
  });
});

describe('the link of an offer', () => {
  it('VCI:O15 gives the same address from a QR code and from a deep link', () => {
    const uri = credentialOfferUri(DEFAULT_CREDENTIAL_OFFER_ENDPOINT, issuerUrl, 'abc_-9');
    const fromLink = new URL(uri).searchParams.get('credential_offer_uri');
    const fromText = decodeURIComponent(uri.slice(uri.indexOf('=') + 1));
    expect([fromLink, fromText]).toEqual([offerUrl(issuerUrl, 'abc_-9'), offerUrl(issuerUrl, 'abc_-9')]);
    // QR codes hold these characters without escapes, and no link is cut at a blank.
    expect(uri).toMatch(/^[\x21-\x7e]+$/);
  });

  it('VCI:O2 VCI:U7 leads to https, since the issuer’s identifier does', () => {
    expect(new URL(offerUrl(issuerUrl, 'abc')).protocol).toBe('https:');
    const plain = 'http://c.example.com/issuer';
    expect(() => parseIssuerUrl(plain, { allowHttpLoopback: true })).toThrow(code('issuer_url_invalid'));
    const addresses = JSON.stringify(metadataOf(issuerUrl)).match(/https?:\/\/[^"]+/g) ?? [];
    expect(addresses.length).toBeGreaterThan(3);
    expect(addresses.filter((address) => !address.startsWith(issuerUrl))).toEqual([]);
  });
});
