type Members = Record<string, unknown>;

/** Texts that are other ones in every installation: DIDs, ids, instants, signatures, and the public address. */
const VOLATILE =
  /did:key:z[1-9A-HJ-NP-Za-km-z]+(?:#z[1-9A-HJ-NP-Za-km-z]+)?|\d{4}-\d\d-\d\dT[\d:.]+Z|https?:\/\/[^/"]+(?=\/schemas\/)|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\bz[1-9A-HJ-NP-Za-km-z]{80,}|"id":"[\w-]{20,36}"/g;

const SHORTENED = '…';

/** A value without what its shortened form in a document leaves out, which is marked by `…`. */
function cutAs(value: unknown, cut: unknown): unknown {
  if (cut === SHORTENED) return SHORTENED;
  if (Array.isArray(value) && Array.isArray(cut)) return value.map((item, index) => cutAs(item, cut[index]));
  if (typeof value !== 'object' || value === null) return value;
  const known = (cut ?? {}) as Members;
  const kept = Object.entries(value).filter(([name]) => !(SHORTENED in known) || name in known);
  const compared = Object.fromEntries(kept.map(([name, part]) => [name, cutAs(part, known[name])]));
  return SHORTENED in known ? { ...compared, [SHORTENED]: SHORTENED } : compared;
}

/** JSON to compare with that of a document: without what is other every time, and without what the document leaves out. */
export function shapeOf(value: unknown, shortened: unknown = value): string {
  return JSON.stringify(cutAs(value, shortened)).replace(VOLATILE, 'volatile');
}
