import type { Fault } from '@vestibule/foundation';
import type { ClaimField, ClaimItem, ClaimsSchema } from './claims-schema';
import { W3C_TERMS } from './reserved-names';

interface Fields {
  readonly fields: readonly ClaimField[];
  readonly path: string;
}

/** The claims of an object, or of the objects in a list. */
function fieldsOf(claim: ClaimField | ClaimItem, path: string): Fields {
  if (claim.kind === 'LIST') return fieldsOf(claim.value.items, `${path}.value.items`);
  return { fields: claim.kind === 'OBJECT' ? claim.value.fields : [], path: `${path}.value.fields` };
}

const MESSAGE =
  'is also a claim of the object around this one, which has the same name: JSON-LD libraries give it different meanings';

function faultsWithin({ fields, path }: Fields): Fault[] {
  return fields.flatMap((outer, index) => {
    const inner = fieldsOf(outer, `${path}[${index}]`);
    const names = new Set(inner.fields.map(({ value }) => value.name).filter((name) => !W3C_TERMS.has(name)));
    const ambiguous = inner.fields.flatMap((claim, at) => {
      if (claim.value.name !== outer.value.name) return [];
      const innermost = fieldsOf(claim, `${inner.path}[${at}]`);
      return innermost.fields.flatMap(({ value }, position) =>
        names.has(value.name) ? [{ path: `${innermost.path}[${position}].value.name`, message: MESSAGE }] : [],
      );
    });
    return [...ambiguous, ...faultsWithin(inner)];
  });
}

/**
 * The claims of an object within an object of the same name, if the outer one has a claim of their name, too. JSON-LD
 * expands a claim of the outer object in its own scoped context only (JSON-LD API §5.1.2, steps 3 and 8); libraries that
 * apply the one of the inner object as well give the claim another IRI, so one of the two refuses the signature.
 */
export const ambiguousClaims = ({ fields }: ClaimsSchema, path: string): Fault[] =>
  faultsWithin({ fields, path: `${path}.fields` });
