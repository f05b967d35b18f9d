import { parseVctSubtypes, type VctSubtypes } from '@vestibule/dcql';
import { memberPath, webNameFault, type Fault } from '@vestibule/foundation';

function nameFaults(place: string, subtypes: VctSubtypes): Fault[] {
  return [...subtypes].flatMap(([vct, above]) =>
    [vct, ...above].flatMap((name) => {
      const message = webNameFault(name);
      return message === undefined
        ? []
        : [{ path: memberPath(place, vct), message: `${JSON.stringify(name)} ${message}` }];
    }),
  );
}

/** The member `subtypes` of the trust file, or everything that is wrong with it. Absent: no type stands for another. */
export function readSubtypes(value: unknown): { readonly subtypes: VctSubtypes; readonly faults: readonly Fault[] } {
  const place = 'subtypes';
  const parsed = parseVctSubtypes(value === undefined ? {} : value, place);
  if (!parsed.ok) return { subtypes: new Map(), faults: parsed.faults };
  return { subtypes: parsed.subtypes, faults: nameFaults(place, parsed.subtypes) };
}
