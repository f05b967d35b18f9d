import { isJsonObject, ownMember, setOwnMember, type JsonObject, type JsonValue } from '@vestibule/foundation';

const needsLocale = (entry: JsonValue): entry is JsonObject =>
  isJsonObject(entry) && !Object.hasOwn(entry, 'locale') && typeof ownMember(entry, 'lang') === 'string';

function renamed(entry: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const name of Object.keys(entry)) {
    setOwnMember(result, name === 'lang' ? 'locale' : name, entry[name] as JsonValue);
  }
  return result;
}

function withDisplayLocales(object: JsonObject): JsonObject | undefined {
  const display = ownMember(object, 'display');
  if (!Array.isArray(display) || !display.some(needsLocale)) return undefined;
  return { ...object, display: display.map((entry) => (needsLocale(entry) ? renamed(entry) : entry)) };
}

/**
 * The document with `lang`, the name until draft 11 of SD-JWT VC, replaced by `locale` in its display entries;
 * undefined when there is nothing to replace.
 */
export function withLocales(document: JsonObject): JsonObject | undefined {
  const top = withDisplayLocales(document);
  const claims = ownMember(document, 'claims');
  const entries = Array.isArray(claims) ? claims : [];
  const replaced = entries.map((entry) => (isJsonObject(entry) ? withDisplayLocales(entry) : undefined));
  if (!top && replaced.every((entry) => entry === undefined)) return undefined;
  const result = top ?? { ...document };
  if (Array.isArray(claims))
    setOwnMember(
      result,
      'claims',
      entries.map((entry, index) => replaced[index] ?? entry),
    );
  return result;
}
