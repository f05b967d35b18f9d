import { isJsonObject } from '@vestibule/foundation';
import { XSD } from './w3c-terms';

const isUntypedDouble = ({ '@value': value, '@type': type }: Readonly<Record<string, unknown>>): boolean =>
  typeof value === 'number' && type === undefined && !Number.isInteger(value);

/**
 * The same expanded JSON-LD with the type `xsd:double` beside every number that is no integer, which is its type in the
 * graph anyway (JSON-LD API §8.6). The JSON-LD library tells doubles by their decimal point, which JavaScript does not
 * write in `1e-7`, and would make such a number the integer 0: a signature would then cover any other small number.
 */
export function withTypedDoubles(expanded: unknown): unknown {
  if (Array.isArray(expanded)) return expanded.map(withTypedDoubles);
  if (!isJsonObject(expanded)) return expanded;
  // What is in a value is the value itself, whatever it looks like.
  if ('@value' in expanded) return isUntypedDouble(expanded) ? { ...expanded, '@type': `${XSD}double` } : expanded;
  return Object.fromEntries(Object.entries(expanded).map(([name, value]) => [name, withTypedDoubles(value)]));
}
