const MAX_DISTANCE = 2;
const MAX_NAME_LENGTH = 64;

const plain = (name: string) => name.replace(/[_-]/g, '').toLowerCase();

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const substitution = (row[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[right.length] as number;
}

/** The known name that `name` was probably meant to be: other case, other separators, or up to two typing errors. */
export function nearName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > MAX_DISTANCE * 2) continue;
    const distance = editDistance(plain(name), plain(candidate));
    if (distance <= MAX_DISTANCE && distance < (best?.distance ?? Infinity)) best = { candidate, distance };
  }
  return best?.candidate;
}
