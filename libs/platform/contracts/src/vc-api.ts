import { z } from 'zod';
import { contract } from './contract';
import { jsonObject } from './fields';
import { apiKeyDigest } from './wallet-store';

const SIGNING_MILLISECONDS = 20_000;
const text = z.string().min(1).max(512);

/** Body of `POST /credentials/issue` of the VC API; its options are not supported. */
export const vcApiIssuance = z.object({ credential: jsonObject });

/** Body of `POST /credentials/verify` of the VC API. */
export const vcApiCredential = z.object({ verifiableCredential: jsonObject });

/** Body of `POST /presentations/verify` of the VC API: a presentation is always for one challenge. */
export const vcApiPresentation = z.object({
  verifiablePresentation: jsonObject,
  options: z.object({ challenge: text, domain: text.optional() }),
});

/** A signed document, as the VC API returns it. */
const signed = z.object({ verifiableCredential: jsonObject });
/** A document that does not verify is an error, whose code says why. */
const verified = z.object({ verified: z.literal(true), problemDetails: z.array(z.never()) });

/** Signs a credential exactly as given. Fails with `entity_not_found` and the codes `vc_…`. */
export const SignGivenCredential = contract(
  'wallet-store.vc-api.issue-credential',
  vcApiIssuance.extend({ apiKeyDigest }),
  signed,
  SIGNING_MILLISECONDS,
);

/** Verifies a credential and stores nothing. Fails with the codes `vc_…`. */
export const VerifyGivenCredential = contract(
  'wallet-store.vc-api.verify-credential',
  vcApiCredential.extend({ apiKeyDigest }),
  verified,
  SIGNING_MILLISECONDS,
);

/** Verifies a presentation and stores nothing. Fails with the codes `vc_…`. */
export const VerifyGivenPresentation = contract(
  'wallet-store.vc-api.verify-presentation',
  vcApiPresentation.extend({ apiKeyDigest }),
  verified,
  SIGNING_MILLISECONDS,
);
