import { z } from 'zod';
import { contract } from './contract';
import { idempotencyKey, jsonObject } from './fields';
import { metaData, UNSTORABLE } from './labels';
import { ifRevision, judgedBody } from './resources';
import { apiKeyDigest, credentialView, did, presentationView } from './wallet-store';

const SIGNING_MILLISECONDS = 20_000;
const MAX_CREDENTIALS = 100;

/** Both parts of a wallet's name, or neither for the tenant's default wallet. */
const maybeOwner = { entityDid: did.optional(), walletDid: did.optional() };
const asTenant = { apiKeyDigest };
const boundText = z.string().min(1).max(512);
/** A text that is signed: other programs must read the same characters. */
const signedText = boundText.refine(
  (text) => !UNSTORABLE.test(text),
  'must have no NUL and no half of a surrogate pair',
);

/** Body of `POST /credentials`. */
export const credentialImport = z
  .strictObject({
    Body: jsonObject.describe('The W3C Verifiable Credential (VCDM 2.0) with its Data Integrity proof'),
    MetaData: metaData.optional(),
  })
  .meta({ id: 'CredentialImport' });

/** Body of `POST /vp`. */
export const presentationCreation = z
  .strictObject({
    CredentialDids: z
      .array(did)
      .min(1)
      .max(MAX_CREDENTIALS)
      .refine((dids) => new Set(dids).size === dids.length, 'must name each credential once')
      .describe('Issued credentials of the wallet'),
    MetaData: metaData.optional(),
  })
  .meta({ id: 'PresentationCreation' });

/** Body of `PATCH /vp/{did}`, a JSON merge patch (RFC 7396) of the body of `POST /vp`. */
export const presentationUpdate = jsonObject.meta({
  id: 'PresentationUpdate',
  description: 'JSON merge patch of CredentialDids and MetaData',
});

/** Body of `POST /vp/{did}/issue`, which may be omitted. */
export const presentationBinding = z
  .strictObject({
    Challenge: signedText.optional().describe('From the verifier; default: a new random one'),
    Domain: signedText.optional().describe('The verifier that the presentation is for'),
  })
  .meta({ id: 'PresentationBinding' });

/**
 * Verifies a credential and puts it into a wallet. Fails with `wallet_not_found`, `credential_exists`,
 * `idempotency_conflict` and the codes `vc_…`.
 */
export const ImportCredential = contract(
  'wallet-store.credential.import',
  z.object({
    ...asTenant,
    ...maybeOwner,
    document: jsonObject,
    metaData: metaData.optional(),
    idempotencyKey: idempotencyKey.optional(),
  }),
  credentialView,
  SIGNING_MILLISECONDS,
);

/**
 * Creates a presentation draft. Fails with `wallet_not_found`, `credential_not_found`, `transition_forbidden`,
 * `idempotency_conflict`.
 */
export const CreatePresentation = contract(
  'wallet-store.presentation.create',
  z.object({
    ...asTenant,
    ...maybeOwner,
    credentialDids: z.array(did).min(1).max(MAX_CREDENTIALS),
    metaData: metaData.optional(),
    idempotencyKey: idempotencyKey.optional(),
  }),
  presentationView,
);

const onePresentation = { ...asTenant, ...maybeOwner, presentationDid: did };

/**
 * Changes a presentation draft. Fails with `presentation_not_found`, `credential_not_found`, `transition_forbidden`,
 * `concurrent_change`, `revision_mismatch`, `invalid_request`.
 */
export const UpdatePresentation = contract(
  'wallet-store.presentation.update',
  z.object({ ...onePresentation, ...ifRevision, ...judgedBody }),
  presentationView,
);

/**
 * Signs a presentation draft. Fails with `presentation_not_found`, `transition_forbidden`, `concurrent_change`,
 * `revision_mismatch`.
 */
export const IssuePresentation = contract(
  'wallet-store.presentation.issue',
  z.object({ ...onePresentation, ...ifRevision, challenge: boundText.optional(), domain: boundText.optional() }),
  presentationView,
  SIGNING_MILLISECONDS,
);

/** Marks a presentation draft as deleted. Fails as {@link IssuePresentation} does. */
export const AbandonPresentation = contract(
  'wallet-store.presentation.abandon',
  z.object({ ...onePresentation, ...ifRevision }),
  presentationView,
);

/**
 * Copies an issued presentation and its credentials into another wallet. Fails with `wallet_not_found`,
 * `presentation_not_found`, `transition_forbidden`, `invalid_request`.
 */
export const PresentPresentation = contract(
  'wallet-store.presentation.present',
  z.object({ ...asTenant, entityDid: did, walletDid: did, presentationDid: did }),
  presentationView,
);
