/** One step to a claim: a member name, an array index, or null for every element (SD-JWT VC §9.1). */
export type ClaimPathPart = string | number | null;
export type ClaimPath = readonly ClaimPathPart[];

const MAX_PARTS = 16;

function isPart(value: unknown): value is ClaimPathPart {
  if (value === null || typeof value === 'string') return true;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** A claims path that starts at a member of the credential, or undefined for anything else. */
export function parseClaimPath(value: unknown): ClaimPath | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_PARTS) return undefined;
  return value.every(isPart) && typeof value[0] === 'string' ? value : undefined;
}

const MAX_SHOWN_NAME = 64;

/** A path for a human: `degrees[].type`, `address.city`. Long names are cut. */
export function formatClaimPath(path: ClaimPath): string {
  return path.reduce<string>((text, part) => {
    if (typeof part !== 'string') return `${text}[${part ?? ''}]`;
    const name = part.slice(0, MAX_SHOWN_NAME);
    return text === '' ? name : `${text}.${name}`;
  }, '');
}
