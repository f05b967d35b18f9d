import { preAuthorizedCodeGrantIdentifier } from '@openid4vc/oauth2';
import type { CredentialOfferObject, IssuerMetadataResult, Openid4vciClient } from '@openid4vc/openid4vci';
import { checkedUrl, jsonBody, type Interceptor, type Journey } from './journey';
import { isJsonObject, objectAt, stringsAt, type JsonObject } from './json';
import { insist } from './refusal';

export interface ResolvedOffer {
  readonly offer: CredentialOfferObject;
  readonly preAuthorizedCode: string;
  readonly needsTxCode: boolean;
}

/** What the wallet needs to know about one credential configuration. */
export interface SupportedConfiguration {
  readonly id: string;
  readonly vct: string;
}

const GRANT = preAuthorizedCodeGrantIdentifier;

const SCHEMES = ['openid-credential-offer:', 'haip-vci:'];

/**
 * OpenID4VCI 1.0 §4.1: the offer by value or by reference. The library also accepts offers of drafts and several
 * parameters; here exactly one parameter in the final form is required (`offer_malformed`).
 */
export async function resolveOffer(client: Openid4vciClient, journey: Journey, uri: string): Promise<ResolvedOffer> {
  insist(URL.canParse(uri), 'offer_malformed', 'the offer is not a URI');
  const { protocol, searchParams } = new URL(uri);
  insist(SCHEMES.includes(protocol), 'offer_malformed', 'the offer has another scheme');
  const names = [...searchParams.keys()];
  const single = names.length === 1 && ['credential_offer', 'credential_offer_uri'].includes(names[0] ?? '');
  insist(single, 'offer_malformed', 'the offer URI needs exactly one parameter');
  const offer = await journey.step('credential_offer', async () => {
    const resolved = await client.resolveCredentialOffer(uri);
    if (searchParams.has('credential_offer_uri')) {
      const body = jsonBody(journey.last());
      insist(isJsonObject(body) && !('credentials' in body), 'offer_malformed', 'the offer has the form of a draft');
    }
    return resolved;
  });
  const ids = offer.credential_configuration_ids;
  const distinct = ids.length > 0 && new Set(ids).size === ids.length;
  insist(distinct, 'offer_malformed', 'credential_configuration_ids is empty or has duplicates');
  const grant = offer.grants?.[GRANT];
  insist(grant !== undefined, 'offer_malformed', 'the offer has no pre-authorized code');
  return { offer, preAuthorizedCode: grant['pre-authorized_code'], needsTxCode: grant.tx_code !== undefined };
}

function wellKnown(identifier: string, name: string): string {
  const { origin, pathname } = checkedUrl(identifier);
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}`;
}

// The library falls back to three other locations; OpenID4VCI 1.0 §12.2.2 and RFC 8414 §3.1 define one each.
const onlyWellKnown =
  (issuer: string): Interceptor =>
  async (request, next) => {
    const allowed = ['openid-credential-issuer', 'oauth-authorization-server'].map((name) => wellKnown(issuer, name));
    insist(allowed.includes(request.url), 'metadata_not_found', 'the metadata is not where the standard requires it');
    return next(request);
  };

/** Issuer and authorization server metadata; throws `metadata_not_found` or `metadata_unsupported`. */
export async function resolveMetadata(
  client: Openid4vciClient,
  journey: Journey,
  issuer: string,
): Promise<IssuerMetadataResult> {
  const { pathname, search, hash } = checkedUrl(issuer);
  const bare = !search && !hash && (pathname === '/' || !pathname.endsWith('/'));
  insist(bare, 'offer_malformed', 'the issuer identifier has a query, a fragment or a slash at its end');
  const metadata = await journey.step(
    'issuer_metadata',
    () => client.resolveIssuerMetadata(issuer),
    onlyWellKnown(issuer),
  );
  const [server, ...others] = metadata.authorizationServers;
  insist(
    server !== undefined && others.length === 0,
    'metadata_unsupported',
    'there must be exactly one authorization server',
  );
  const granted = server.grant_types_supported?.includes(GRANT) ?? false;
  insist(granted, 'metadata_unsupported', 'grant_types_supported lacks the pre-authorized code');
  const dpop = server.dpop_signing_alg_values_supported?.includes('ES256') ?? false;
  insist(dpop, 'metadata_unsupported', 'dpop_signing_alg_values_supported lacks ES256');
  return metadata;
}

/** Throws `metadata_unsupported` unless the server accepts this client authentication method (OpenID4VCI 1.0 §12.3). */
export function insistClientAuthentication(metadata: IssuerMetadataResult, attested: boolean): void {
  const [server] = metadata.authorizationServers;
  const accepted = attested
    ? server?.token_endpoint_auth_methods_supported?.includes('attest_jwt_client_auth')
    : server?.['pre-authorized_grant_anonymous_access_supported'];
  insist(accepted === true, 'metadata_unsupported', 'the server does not support this client authentication');
}

function proofTypeFits(configuration: JsonObject, proofType: string): boolean {
  const proof = objectAt(objectAt(configuration, 'proof_types_supported'), proofType);
  const bound = stringsAt(configuration, 'cryptographic_binding_methods_supported').includes('jwk');
  return bound && stringsAt(proof, 'proof_signing_alg_values_supported').includes('ES256');
}

/** HAIP 1.0 §4.1: `dc+sd-jwt`, bound to a `jwk`, ES256 everywhere; throws `configuration_unsupported`. */
export function getConfiguration(
  metadata: IssuerMetadataResult,
  id: string,
  proofType: 'jwt' | 'attestation',
): SupportedConfiguration {
  const configuration: unknown = metadata.credentialIssuer.credential_configurations_supported[id];
  insist(isJsonObject(configuration), 'configuration_unsupported', 'the metadata does not contain the configuration');
  const { format, vct } = configuration;
  const typed = format === 'dc+sd-jwt' && typeof vct === 'string';
  insist(typed, 'configuration_unsupported', 'the configuration is not dc+sd-jwt with a vct');
  const signed = stringsAt(configuration, 'credential_signing_alg_values_supported').includes('ES256');
  insist(signed, 'configuration_unsupported', 'the configuration does not offer ES256');
  insist(
    proofTypeFits(configuration, proofType),
    'configuration_unsupported',
    'the configuration does not accept this proof type',
  );
  return { id, vct };
}
