import { createPublicKey } from 'node:crypto';
import { exportPublicJwk, jwsClaims, parseCompactJws, signCompactJws } from '@vestibule/crypto';
import type { Egress, EgressResponse, GetOptions } from '@vestibule/egress';
import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { coveredBy, type IssuerTrust } from '@vestibule/oid4vp';
import type { IssuerKey } from '@vestibule/sd-jwt-vc';
import type { PendingRequest } from '../domain/presentation-request';
import {
  encryptedForm,
  issue,
  NOW_SECONDS,
  sha256Text,
  variantOf,
  type CredentialOptions,
  type World,
} from './verifier.fixture-spec';

/** The issuer of the world as one that has metadata instead of a certificate. */
export const ISSUER = 'https://issuer.example';

export const publishedJwk = (world: World) => exportPublicJwk(createPublicKey(world.pki.issuer.privateKey));
export const publishedKeys = (world: World): readonly IssuerKey[] => [{ kid: 'k1', jwk: publishedJwk(world) }];
export const metadataOf = (world: World): JsonObject => ({
  issuer: ISSUER,
  jwks: { keys: [{ ...publishedJwk(world), kid: 'k1' }] },
});

export function listing(world: World, issuers: readonly string[] = [ISSUER]): IssuerTrust {
  const metadataIssuers = issuers.map((issuer) => ({ issuer }));
  return { ...world.trust, metadataIssuers, covered: coveredBy({ metadataIssuers }) };
}

/** The form of a wallet that answers with one credential without certificate, signed with the key `kid` of the issuer. */
export async function uncertifiedForm(
  world: World,
  request: PendingRequest,
  options: CredentialOptions & { readonly payload?: JsonObject } = {},
) {
  const [jws = '', ...disclosures] = (await issue(world, options)).split('~');
  const payload = { ...jwsClaims(parseCompactJws(jws)), ...options.payload };
  const key = options.issuerKey ?? world.pki.issuer.privateKey;
  const sdJwt = [signCompactJws({ typ: 'dc+sd-jwt', kid: 'k1' }, payload, key), ...disclosures].join('~');
  const { nonce } = variantOf(request, 'cross-device');
  const binding = { iat: NOW_SECONDS, aud: request.clientId, nonce, sd_hash: sha256Text(sdJwt) };
  const text = sdJwt + signCompactJws({ typ: 'kb+jwt' }, binding, world.holderKey);
  return encryptedForm(request, 'cross-device', { state: request.state, vp_token: { pid: [text] } });
}

export const jsonAnswer = (value: JsonValue, more: Partial<EgressResponse> = {}): EgressResponse => ({
  status: 200,
  contentType: 'application/json',
  body: Buffer.from(JSON.stringify(value)),
  finalUrl: ISSUER,
  ...more,
});

/** An egress that answers as it is told, and keeps what it was asked for. */
export function fakeEgress(respond: (url: string) => EgressResponse | Promise<EgressResponse>) {
  const fetches: { readonly url: string; readonly options: GetOptions }[] = [];
  const egress: Egress = {
    async get(url, options) {
      fetches.push({ url, options });
      return respond(url);
    },
    close: () => Promise.resolve(),
  };
  return { egress, fetches };
}
