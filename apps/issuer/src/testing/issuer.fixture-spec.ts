import type { JsonObject } from '@vestibule/foundation';
import { loadCredentialTypes } from '@vestibule/oid4vci';
import type { IssuableType, IssuerIdentity } from '../domain/credential-offer';
import type { WalletDemands } from '../wallet-demands';

export const ISSUER_URL = 'https://c.example.com/issuer';
/** The identifier of the installation under test. */
export const ISSUER: IssuerIdentity = { name: '', url: ISSUER_URL, profile: 'open' };
export const NOW = new Date('2026-03-01T12:34:56Z');
export const TYPE_ID = 'identity-card';
/** A type without anything that may be held back. */
export const PLAIN_TYPE_ID = 'membership';
export const VALIDITY_SECONDS = 86_400;

const DOCUMENTS: Readonly<Record<string, JsonObject>> = {
  [TYPE_ID]: {
    name: 'Identity card',
    claims: [
      { path: ['given_name'], mandatory: true, sd: 'always' },
      { path: ['family_name'], mandatory: true },
      { path: ['address'], sd: 'always' },
      { path: ['address', 'country'], sd: 'always', mandatory: true },
      { path: ['address', 'locality'], sd: 'never' },
      { path: ['nationalities', null], sd: 'allowed' },
      { path: ['issuing_country'], sd: 'never' },
    ],
  },
  [PLAIN_TYPE_ID]: { name: 'Membership', claims: [{ path: ['club'], mandatory: true, sd: 'never' }] },
};

/** The credential types of the issuer under test. */
export const TYPES: ReadonlyMap<string, IssuableType> = new Map(
  loadCredentialTypes(
    Object.entries(DOCUMENTS).map(([configurationId, document]) => ({
      configurationId,
      bytes: Buffer.from(JSON.stringify(document), 'utf8'),
    })),
    ISSUER_URL,
  ).map((type) => [
    type.configurationId,
    { ...type, issuer: ISSUER, validitySeconds: VALIDITY_SECONDS, hasStatus: false, mostClaimBytes: () => 100_000 },
  ]),
);

/** Claims of an identity card; every value is one to look for where it must not be. */
export const CLAIMS: JsonObject = {
  given_name: 'canary-given-name',
  family_name: 'canary-family-name',
  address: { country: 'canary-country', locality: 'canary-locality' },
  nationalities: ['canary-first-nation', 'canary-second-nation'],
  issuing_country: 'canary-issuing-country',
};

/** The member `name` left out, on the top level. */
export function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** Wallets as they come by default: anonymous, without nonces and attestations. */
export const NO_DEMANDS: WalletDemands = {
  demandsDpopNonces: false,
  clientAuthentication: { required: false, attesterKeys: undefined, challenge: 'required' },
  keyAttesters: undefined,
  attestationStatus: 'when-present',
};

/** No attestation has a status. */
export const checkNoStatus = (): Promise<void> => Promise.resolve();

/** A chain that ends after every credential. */
export const LONG_CHAIN = { chainEndsAt: () => new Date('2036-01-01T00:00:00Z'), reportShortened: () => undefined };
