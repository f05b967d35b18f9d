import {
  below,
  collectFaults,
  DomainError,
  isJsonObject,
  ownMember,
  type FaultNote,
  type JsonObject,
  type JsonValue,
} from '@vestibule/foundation';
import { imageUriFault, readDisplay, readText } from './type-metadata-display';

/** How a wallet shows the issuer in one language (OpenID4VCI 1.0 §12.2.4). */
export interface IssuerDisplay {
  readonly locale: string;
  readonly name: string;
  readonly logo?: { readonly uri: string; readonly altText?: string };
}

function readLogo(logo: JsonValue | undefined, note: FaultNote): IssuerDisplay['logo'] {
  if (logo === undefined) return undefined;
  if (!isJsonObject(logo)) {
    note('', 'must be an object');
    return undefined;
  }
  const uri = readText(logo, 'uri', note, 'required');
  const altText = readText(logo, 'alt_text', note);
  const fault = uri === undefined ? undefined : imageUriFault(uri);
  if (fault !== undefined) note('uri', fault);
  return uri === undefined ? undefined : { uri, ...(altText === undefined ? {} : { altText }) };
}

function readIssuerDisplay(entry: JsonObject, locale: string, note: FaultNote): IssuerDisplay | undefined {
  const name = readText(entry, 'name', note, 'required');
  const logo = readLogo(ownMember(entry, 'logo'), below(note, 'logo'));
  return name === undefined ? undefined : { locale, name, ...(logo ? { logo } : {}) };
}

/**
 * Reads the configured display of the issuer: an array of `{locale, name, logo?: {uri, alt_text?}}`, one entry for each
 * language. Throws `issuer_display_invalid` with every fault.
 */
export function parseIssuerDisplay(value: JsonValue): IssuerDisplay[] {
  const { faults, note } = collectFaults();
  const display = readDisplay(value, note, readIssuerDisplay);
  if (faults.length === 0) return display;
  throw new DomainError({
    kind: 'invalid',
    code: 'issuer_display_invalid',
    detail: 'the display of the issuer is not valid',
    faults,
  });
}
