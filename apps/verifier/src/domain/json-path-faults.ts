import { isJsonObject, type Fault, type JsonObject, type JsonValue } from '@vestibule/foundation';

/** `$.given_name`, `$['given_name']`: the language of the Presentation Exchange that DCQL has replaced. */
const JSON_PATH = /^\$[.[]/;
/** One that has nothing but names. */
const PLAIN = /^\$(?:\.[A-Za-z_][A-Za-z0-9_-]{0,63}){1,8}$/;

const elementsOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);
const memberOf = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

function messageFor(text: string): string {
  const names = PLAIN.test(text) ? text.slice(2).split('.') : ['address', 'locality'];
  const example = PLAIN.test(text) ? 'write' : 'a path is an array of names, such as';
  return `is JSONPath, which no claim matches: ${example} ${JSON.stringify(names).replaceAll(',', ', ')}`;
}

/**
 * Claims of a query that are named by JSONPath. DCQL would take it for the name of a claim; no credential has such a
 * claim, so a wallet could only say that it has nothing that matches. The query may be faulty otherwise.
 */
export function jsonPathFaults(body: JsonObject): Fault[] {
  return elementsOf(memberOf(body['dcql_query'], 'credentials')).flatMap((credential, index) =>
    elementsOf(memberOf(credential, 'claims')).flatMap((claim, place) => {
      const [first] = elementsOf(memberOf(claim, 'path'));
      if (typeof first !== 'string' || !JSON_PATH.test(first)) return [];
      const path = `dcql_query.credentials[${index}].claims[${place}].path[0]`;
      return [{ path, message: messageFor(first) }];
    }),
  );
}
