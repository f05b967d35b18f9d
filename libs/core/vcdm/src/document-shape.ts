import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { checkLanguageObject } from './constrained-members';
import { vcdmFailure } from './failures';

/** How large a document may be, however it is written; counted before anything is expanded. */
const DOCUMENT_LIMITS = {
  /** Objects and arrays within each other. */
  maxDepth: 40,
  /** Members of objects and elements of arrays. */
  maxValues: 16_384,
  /** Elements of one array: RDF looks for each of them among those before it. */
  maxElements: 2_048,
  /** UTF-16 units of all names and texts. */
  maxTextLength: 1_048_576,
} as const;

/** What a text with a language or a direction is made of (VCDM 2.0 §11.1). */
const VALUE_KEYWORDS: ReadonlySet<string> = new Set(['@value', '@language', '@direction']);

/** NUL, which no database takes, and half a surrogate pair, which is another character when it is hashed. */
const UNSTORABLE = /[\u0000\p{Surrogate}]/u;

/**
 * JSON-LD treats a member that begins with `@` as an instruction, wherever it is, and JavaScript treats `__proto__`
 * specially: such members change others or vanish themselves. None of them is needed in a credential.
 */
function checkName(name: string, mayHaveContext: boolean): void {
  if (name === '__proto__') throw vcdmFailure('vc_member_unsigned', 'a member must not be named __proto__');
  if (!name.startsWith('@') || VALUE_KEYWORDS.has(name)) return;
  if (name !== '@context')
    throw vcdmFailure('vc_member_unsigned', 'a member must not have the name of a JSON-LD keyword');
  if (!mayHaveContext) throw vcdmFailure('vc_malformed', '@context is allowed only in credentials and presentations');
}

interface Walk {
  readonly roots: ReadonlySet<JsonObject>;
  values: number;
  textLength: number;
}

function checkText(walk: Walk, text: string): void {
  walk.textLength += text.length;
  if (walk.textLength > DOCUMENT_LIMITS.maxTextLength) throw vcdmFailure('vc_too_complex', 'the document is too long');
  if (UNSTORABLE.test(text)) throw vcdmFailure('vc_malformed', 'strings must not contain NUL or unpaired surrogates');
}

function checkValues(walk: Walk, values: readonly JsonValue[], depth: number): void {
  walk.values += values.length;
  const { maxValues } = DOCUMENT_LIMITS;
  if (walk.values > maxValues) throw vcdmFailure('vc_too_complex', `the document has more than ${maxValues} values`);
  for (const value of values) check(walk, value, depth + 1);
}

function checkElements(walk: Walk, values: readonly JsonValue[], depth: number): void {
  const { maxElements } = DOCUMENT_LIMITS;
  if (values.length > maxElements)
    throw vcdmFailure('vc_too_complex', `an array has more than ${maxElements} elements`);
  checkValues(walk, values, depth);
}

function check(walk: Walk, value: JsonValue, depth: number): void {
  if (typeof value === 'string') return checkText(walk, value);
  if (value === null || typeof value !== 'object') return;
  if (depth > DOCUMENT_LIMITS.maxDepth) throw vcdmFailure('vc_too_deep');
  if (Array.isArray(value)) return checkElements(walk, value, depth);
  const isRoot = walk.roots.has(value);
  checkLanguageObject(value);
  const names = Object.keys(value);
  for (const name of names) {
    checkName(name, isRoot);
    checkText(walk, name);
  }
  // A context is not a claim: which contexts are allowed is decided elsewhere.
  const claims = isRoot ? names.filter((name) => name !== '@context') : names;
  checkValues(
    walk,
    claims.map((name) => value[name] as JsonValue),
    depth,
  );
}

/**
 * Is the document small enough, and free of what JSON-LD takes for instructions? `roots` are the objects that may have an
 * `@context`: the document itself, and the credentials in a presentation. Linear in the size of the document. Throws
 * `vc_malformed`, `vc_member_unsigned`, `vc_too_complex`, `vc_too_deep`, `vc_language_malformed`.
 */
export function checkDocumentShape(document: JsonObject, roots: readonly JsonObject[]): void {
  check({ roots: new Set(roots), values: 0, textLength: 0 }, document, 1);
}
