import { findProbableName, MAX_URL_LENGTH, ownMember, type Fault, type JsonObject } from '@vestibule/foundation';
import type { z } from 'zod';

/** `credentials[0].id` for the path ['credentials', 0, 'id']. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

const MAX_NAME_LENGTH = 64;

function unknownMember(path: readonly PropertyKey[], name: string, known: readonly string[]): Fault {
  const meant = findProbableName(name, known);
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
  return { path: formatPath([...path, name.slice(0, MAX_NAME_LENGTH)]), message: `is not a known member${hint}` };
}

/**
 * Every fault that a strict schema found, one per place; empty without an error. `known` lists the member names of the
 * schema's objects, so that the message for an unknown member can suggest the intended one.
 */
export function schemaFaults(error: z.ZodError | undefined, known: readonly string[]): Fault[] {
  return (error?.issues ?? []).flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => unknownMember(issue.path, name, known));
    return [{ path: formatPath(issue.path), message: issue.message }];
  });
}

/**
 * The fault that `faultOf` finds in a member of a backend's body that is an address; none if it is absent. A value that is not
 * a string, or too long, is left to the schema.
 */
export function addressFaults(
  body: JsonObject,
  member: string,
  faultOf: (address: string) => string | undefined,
): Fault[] {
  const text = ownMember(body, member);
  if (typeof text !== 'string' || text.length > MAX_URL_LENGTH) return [];
  const message = faultOf(text);
  return message === undefined ? [] : [{ path: member, message }];
}
