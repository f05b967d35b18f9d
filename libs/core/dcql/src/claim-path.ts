import type { IssuedJsonObject, IssuedJsonValue } from '@vestibule/foundation';
import { dcqlFailure } from './failures';

/** A claims path pointer (OpenID4VP 1.0 §7): a member name, an index, or null for every element of an array. */
export type ClaimPath = readonly (string | number | null)[];

function isIssuedObject(value: IssuedJsonValue): value is IssuedJsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What `part` selects in `element`: nothing when it is absent or undisclosed; undefined when the types do not fit. */
function select(element: IssuedJsonValue, part: string | number | null): IssuedJsonValue[] | undefined {
  if (typeof part === 'string') {
    if (!isIssuedObject(element)) return undefined;
    return Object.hasOwn(element, part) ? [element[part] as IssuedJsonValue] : [];
  }
  if (!Array.isArray(element)) return undefined;
  if (part === null) return element.filter((item) => item !== undefined);
  const item = Number.isSafeInteger(part) && part >= 0 ? element[part] : undefined;
  return item === undefined ? [] : [item];
}

/** Elements that the paths of one query may look at, over all credentials of an answer: about 40 ms of work. */
export const MAX_SELECTED_ELEMENTS = 500_000;

/** The elements that may still be visited; shared by all paths of a query. */
export interface Selection {
  elementsLeft: number;
}

export const createSelection = (maxElements: number = MAX_SELECTED_ELEMENTS): Selection => ({
  elementsLeft: maxElements,
});

/** A null looks at every element of the array, the undisclosed ones too; every other component at one. */
function spend(selection: Selection, element: IssuedJsonValue, part: string | number | null): void {
  selection.elementsLeft -= part === null && Array.isArray(element) ? element.length + 1 : 1;
  if (selection.elementsLeft < 0) throw dcqlFailure('selection_too_large');
}

/**
 * The elements that a claims path pointer selects in the processed payload of a credential (OpenID4VP 1.0 §7.1.1).
 * The empty list stands for every error of that algorithm: a component that meets a value of another type aborts the
 * whole selection, and selecting nothing is an error too. Only own members count. `undefined` in an array stands for
 * an element that was not disclosed: null skips it, its index selects nothing, and the others keep their indexes.
 * What is looked at is taken from `selection`; throws `selection_too_large` when nothing is left of it.
 */
export function resolveClaimPath(
  root: IssuedJsonValue,
  path: ClaimPath,
  selection: Selection = createSelection(),
): readonly IssuedJsonValue[] {
  let selected: IssuedJsonValue[] = [root];
  for (const part of path) {
    const next: IssuedJsonValue[] = [];
    for (const element of selected) {
      spend(selection, element, part);
      const found = select(element, part);
      if (found === undefined) return [];
      for (const item of found) next.push(item);
    }
    selected = next;
  }
  return selected;
}

const MAX_SHOWN_LENGTH = 200;

/** A path of the query as the text of a failure: JSON on one line, cut after 200 characters. */
export function showClaimPath(path: ClaimPath): string {
  const text = JSON.stringify(path);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}
