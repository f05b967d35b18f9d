const MAX_NAME_LENGTH = 256;

/** A name without case and punctuation: `expiresIn` and `expires_in` are then the same. */
export function foldName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Known names come from code and configuration, the same few again and again. */
const foldedNames = new Map<string, string>();
const MAX_REMEMBERED = 1_000;

function foldKnown(name: string): string {
  const known = foldedNames.get(name);
  if (known !== undefined) return known;
  const folded = foldName(name);
  if (foldedNames.size < MAX_REMEMBERED) foldedNames.set(name, folded);
  return folded;
}

/** Short names differ by little from anything, so they allow fewer slips. */
function allowedSlips(length: number): number {
  if (length < 4) return 0;
  if (length < 6) return 1;
  return length < 12 ? 2 : 3;
}

/** Insertions, deletions and replacements that turn one text into the other; Infinity beyond what is allowed. */
function countSlips(left: string, right: string, allowed: number): number {
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  const [a, b] = [left.slice(start), right.slice(start)];
  if (a.length === 0 || b.length === 0) return a.length + b.length;
  if (Math.abs(a.length - b.length) > allowed || allowed === 0) return Infinity;
  const inserted = countSlips(a, b.slice(1), allowed - 1);
  const removed = countSlips(a.slice(1), b, allowed - 1);
  return 1 + Math.min(inserted, removed, countSlips(a.slice(1), b.slice(1), allowed - 1));
}

/**
 * The known name that a name was probably meant to be: the same but for case and punctuation, or a few slips away (none
 * below four letters, one below six, two below twelve, then three). The nearest one wins, the first of equals.
 */
export function findProbableName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const folded = foldName(name);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of known) {
    const target = foldKnown(candidate);
    const slips = allowedSlips(target.length);
    if (Math.abs(target.length - folded.length) > slips) continue;
    const distance = countSlips(folded, target, slips);
    if (distance <= slips && distance < (best?.distance ?? Infinity)) best = { candidate, distance };
  }
  return best?.candidate;
}
