import { urlFault } from '@vestibule/foundation';
import { z } from 'zod';

/** A document that is configured may be at an http or https address in normal form. */
export const documentAddress = z.string().superRefine((text, context) => {
  const message = urlFault(text, { schemes: ['https', 'http'], fragment: 'refused' });
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

/** A URI that names something on a list of trusted entities. */
export const listedUri = z.string().min(1).max(2_048);

/**
 * An entry of `lists` in a file with trust. `purposes` are those that lists of other types than the European Commission's
 * may have there, and `rest` are its other members; `type` is one of them.
 */
export const trustedListEntry = <Purpose extends string, Rest extends z.core.$ZodLooseShape>(
  purposes: readonly Purpose[],
  rest: Rest,
) =>
  z.strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and hyphens, at most 63'),
    url: documentAddress,
    /** Files with the certificates of the scheme operator, or of the authority that issues them. */
    signers: z.array(z.string().min(1)).min(1).max(10),
    /** The organisation of the signer, where `signers` has its authority. */
    operator: z.string().min(1).max(1_024).optional(),
    /** A name of the list itself, which tells it from others of the same type and signers. */
    schemeName: z.string().min(1).max(1_024).optional(),
    /** For a type of list that this program does not know: what its services are trusted for. */
    services: z.record(listedUri, z.array(z.enum(purposes)).min(1)).optional(),
    /** For such a type: the statuses that mean trust; absent where its services have none. */
    statuses: z.array(listedUri).min(1).optional(),
    ...rest,
  });

/** All of its members but those of `rest`, for hints about misspelled ones; and the member that has such entries. */
export const TRUSTED_LIST_MEMBERS = [
  'lists',
  'id',
  'url',
  'signers',
  'operator',
  'schemeName',
  'type',
  'services',
  'statuses',
];
