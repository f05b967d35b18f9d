import type { Fault } from '@vestibule/foundation';
import type { z } from 'zod';

/** `credentials[0].id` for the path ['credentials', 0, 'id']. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

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

const MAX_DISTANCE = 2;
const MAX_NAME_LENGTH = 64;
const plain = (name: string) => name.replaceAll('_', '').replaceAll('-', '').toLowerCase();

/** The known name that `name` was probably meant to be: other case, other separators, or up to two typing errors. */
export function probablyMeant(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const ranked = known.map((candidate) => ({ candidate, distance: editDistance(plain(name), plain(candidate)) }));
  ranked.sort((left, right) => left.distance - right.distance);
  const [best] = ranked;
  return best && best.distance <= MAX_DISTANCE ? best.candidate : undefined;
}

function unknownMember(path: readonly PropertyKey[], name: string, known: readonly string[]): Fault {
  const meant = probablyMeant(name, known);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return { path: formatPath([...path, name.slice(0, MAX_NAME_LENGTH)]), message: `is not a known member${hint}` };
}

/**
 * Every fault that a strict schema found, one for each wrong place; none without an error. `known` lists the member names of the schema's
 * objects, so that an unknown member can be answered with what was probably meant.
 */
export function schemaFaults(error: z.ZodError | undefined, known: readonly string[]): Fault[] {
  return (error?.issues ?? []).flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => unknownMember(issue.path, name, known));
    return [{ path: formatPath(issue.path), message: issue.message }];
  });
}
