import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '@vestibule/foundation';
import { contextTerms, kindOfReading } from './json-ld-context';
import { parseClaimsSchema } from './parse-claims-schema';

const TYPE_NAME = /^[A-Z][A-Za-z0-9]{0,63}$/;

/** The kind and value of a claim that would be read as a term says, in the form of a claims schema; undefined if none is. */
function claimOf(term: JsonValue, name: string | undefined): JsonObject | undefined {
  if (!isJsonObject(term)) return undefined;
  const named: JsonObject = name === undefined ? {} : { name };
  if (ownMember(term, '@container') === '@list') {
    const { '@container': _list, ...item } = term;
    const items = claimOf(item, undefined);
    return items && { kind: 'LIST', value: { ...named, items } };
  }
  const nested = ownMember(term, '@context');
  if (nested === undefined) return { kind: kindOfReading(ownMember(term, '@type')), value: named };
  const fields = isJsonObject(nested) ? claimsOf(Object.entries(nested)) : undefined;
  return fields && { kind: 'OBJECT', value: { ...named, fields } };
}

function claimsOf(terms: readonly (readonly [string, JsonValue])[]): JsonObject[] | undefined {
  const claims = terms.map(([name, term]) => claimOf(term, name));
  return claims.every((claim) => claim !== undefined) ? claims : undefined;
}

function areTermsOfClaims(terms: readonly (readonly [string, JsonValue])[], vocabulary: string): boolean {
  const fields = claimsOf(terms);
  const { parsed } = parseClaimsSchema(fields && { fields }, '');
  const derived = parsed && contextTerms(parsed, { vocabulary, slug: undefined });
  return derived !== undefined && JSON.stringify(derived) === JSON.stringify(Object.fromEntries(terms));
}

/**
 * Is it, byte for byte, what {@link contextTerms} makes of some claims schema with this vocabulary? Then every term of it
 * is a claim that is named like its IRI, and nothing else is in it: no keyword, no alias, no other container.
 */
export function isDerivedContext(context: JsonObject, vocabulary: string): boolean {
  const terms = Object.entries(context);
  if (areTermsOfClaims(terms, vocabulary)) return true;
  const [[type = '', first] = []] = terms;
  const isType = TYPE_NAME.test(type) && JSON.stringify(first) === JSON.stringify({ '@id': `${vocabulary}${type}` });
  return isType && areTermsOfClaims(terms.slice(1), vocabulary);
}
