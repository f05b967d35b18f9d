import type { ClaimMetadata } from './claim-metadata';
import type { CredentialType } from './credential-type';

/** A type whose labels are incomplete in the language that it falls back to. */
export interface MissingLabels {
  readonly configurationId: string;
  /** Of the first entry of the type's `display`: what users of other languages see. */
  readonly locale: string;
  /** The claims that have labels, but none in that language, as JSON. */
  readonly claims: readonly string[];
}

const languageOf = (locale: string): string => locale.split('-', 1)[0]?.toLowerCase() ?? '';

function lacks(language: string, { display }: ClaimMetadata): boolean {
  return display.length > 0 && !display.some(({ locale }) => languageOf(locale) === language);
}

/**
 * Where a wallet that has no text in the language of its user, and so shows the first entry of the type's `display`, finds
 * no label for a claim in the same language (SD-JWT VC §8, §9.2). It may then show the name of the claim.
 */
export function missingFallbackLabels(types: readonly CredentialType[]): readonly MissingLabels[] {
  return types.flatMap(({ configurationId, display: [first], claims }) => {
    if (!first) return [];
    const without = claims.filter((claim) => lacks(languageOf(first.locale), claim));
    if (without.length === 0) return [];
    return [{ configurationId, locale: first.locale, claims: without.map(({ path }) => JSON.stringify(path)) }];
  });
}
