import { z } from 'zod';
import { dictionary } from './dictionary';

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
/** Characters that Postgres cannot store as text. */
export const UNSTORABLE = /[\u0000\p{Surrogate}]/u;
const MAX_ENTRIES = 64;
const MAX_ANNOTATION_LENGTH = 4096;

/** A label or annotation key in the syntax of Kubernetes: `name` or `dns.prefix/name`. */
export function isLabelKey(text: string): boolean {
  const [name, prefix, ...rest] = text.split('/').reverse();
  return rest.length === 0 && NAME.test(name ?? '') && (prefix === undefined || PREFIX.test(prefix));
}

/** A value in the syntax of Kubernetes: empty, or up to 63 letters, digits, `.`, `_` and `-`. */
export function isLabelValue(text: string): boolean {
  return text === '' || NAME.test(text);
}

const key = z.string().refine(isLabelKey, 'must be name or prefix/name, like the keys of Kubernetes labels');
const few = (entries: object) => Object.keys(entries).length <= MAX_ENTRIES;
const FEW = `must have at most ${MAX_ENTRIES} members`;

/** Labels, by which lists are filtered. Never personal data: they are stored unencrypted. */
export const labels = dictionary(
  key,
  z.string().refine(isLabelValue, 'must be empty or up to 63 characters of letters, digits, ., _ and -'),
).refine(few, FEW);

/** Annotations, for the caller's own use, never filtered by. Stored unencrypted, too. */
export const annotations = dictionary(
  key,
  z
    .string()
    .max(MAX_ANNOTATION_LENGTH)
    .refine((text) => !UNSTORABLE.test(text), 'must have no NUL and no half of a surrogate pair'),
).refine(few, FEW);

/** `MetaData` of a call of the wallet content API. */
export const metaData = z
  .strictObject({ Labels: labels.optional(), Annotations: annotations.optional() })
  .meta({ id: 'MetaData' });
