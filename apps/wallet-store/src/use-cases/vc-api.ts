import { ownMember, type Clock, type JsonObject } from '@vestibule/foundation';
import {
  addressIn,
  signCredential,
  vcdmFailure,
  verifyCredential,
  verifyPresentation,
  type PresentationBinding,
} from '@vestibule/vcdm';
import type { Understand, Wallets } from '../domain/ports';
import { isStorable, type TenantId } from '../domain/records';
import { authenticate, type AuthenticateDeps } from './authenticate';
import { refusingDocuments } from './document-errors';
import { SKEW_SECONDS } from './import-credential';
import { signerOf } from './issue-draft';

export interface VerifyGivenDeps extends AuthenticateDeps {
  readonly clock: Clock;
  readonly understand: Understand;
}

export interface SignGivenDeps extends VerifyGivenDeps {
  readonly findEntityKey: Wallets['findEntityKey'];
}

interface AsTenant {
  readonly apiKeyDigest: string;
}
const VERIFIED = { verified: true as const, problemDetails: [] };

function issuerOf(credential: JsonObject): string {
  const did = addressIn(ownMember(credential, 'issuer'));
  if (did !== undefined && isStorable(did)) return did;
  throw vcdmFailure('vc_malformed', 'issuer must be a URL or an object with an id');
}

async function signGiven(deps: SignGivenDeps, tenant: string, credential: JsonObject): Promise<JsonObject> {
  const signer = await signerOf(deps, tenant, issuerOf(credential));
  return signCredential(credential, { signer, now: deps.clock(), ...deps.understand(tenant) });
}

/**
 * Signs a credential exactly as given, with the key of the entity that it names as issuer, and stores nothing. It must
 * verify here before it is signed, except for its times: a credential may become valid later.
 */
export function signGivenCredential(deps: SignGivenDeps) {
  return async function signGivenCredential({
    apiKeyDigest,
    credential,
  }: AsTenant & { readonly credential: JsonObject }) {
    const tenant = await authenticate(deps, apiKeyDigest);
    return { verifiableCredential: await refusingDocuments(signGiven(deps, tenant, credential)) };
  };
}

const options = (deps: VerifyGivenDeps, tenant: TenantId) => ({
  now: deps.clock(),
  skewSeconds: SKEW_SECONDS,
  ...deps.understand(tenant),
});

/** Verifies a credential of any issuer; stores nothing. */
export function verifyGivenCredential(deps: VerifyGivenDeps) {
  return async function verifyGivenCredential({
    apiKeyDigest,
    verifiableCredential,
  }: AsTenant & { readonly verifiableCredential: JsonObject }) {
    const tenant = await authenticate(deps, apiKeyDigest);
    await refusingDocuments(verifyCredential(verifiableCredential, options(deps, tenant)));
    return VERIFIED;
  };
}

/** Verifies a presentation, with every credential in it, for a challenge and domain; stores nothing. */
export function verifyGivenPresentation(deps: VerifyGivenDeps) {
  return async function verifyGivenPresentation(
    input: AsTenant & { readonly verifiablePresentation: JsonObject; readonly options: PresentationBinding },
  ) {
    const tenant = await authenticate(deps, input.apiKeyDigest);
    await refusingDocuments(verifyPresentation(input.verifiablePresentation, input.options, options(deps, tenant)));
    return VERIFIED;
  };
}
