import { DomainError, webNameFault } from '@vestibule/foundation';
import { issuerMetadataUrl } from '@vestibule/sd-jwt-vc';
import { z } from 'zod';

/** Of an issuer or a credential type. */
export const name = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    const message = webNameFault(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

function hasMetadata(issuer: string): boolean {
  try {
    return issuerMetadataUrl(issuer) !== '';
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}

const issuerName = z
  .string()
  .refine(hasMetadata, 'expected an https URL in normal form, without user information, query and fragment');
const metadataIssuer = z.union([
  issuerName,
  z.strictObject({ issuer: issuerName, vcts: z.array(name).min(1).optional() }),
]);
type Entry = z.infer<typeof metadataIssuer>;

const asObject = (entry: Entry) => (typeof entry === 'string' ? { issuer: entry } : entry);

/** Issuers that are known by their metadata. Of two entries for one of them, the first would count alone. */
export const metadataIssuers = z
  .array(metadataIssuer)
  .superRefine((entries, context) => {
    const named = entries.map((entry) => asObject(entry).issuer);
    for (const [index, entry] of entries.entries()) {
      const path = typeof entry === 'string' ? [index] : [index, 'issuer'];
      if (named.indexOf(asObject(entry).issuer) < index)
        context.addIssue({ code: 'custom', path, message: 'must be unique' });
    }
  })
  .transform((entries) => entries.map(asObject));
