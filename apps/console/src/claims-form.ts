import type { ClaimMetadata, CredentialType } from './api';
import type { Language } from './language';

/** One input of the form of a type. */
export interface Field {
  /** No two claims of a type share it, also where a name contains a dot. */
  readonly key: string;
  readonly path: readonly string[];
  /** How the answer of the service names the claim. */
  readonly place: string;
  readonly label: string;
  readonly mandatory: boolean;
  readonly kind: 'text' | 'date' | 'flag' | 'list';
  readonly sample: string;
}

/** Claims that the issuer itself sets. */
const OWN = ['iat', 'sub', 'exp', 'nbf', 'iss', 'cnf', 'status', 'vct'];

const SAMPLES: Readonly<Record<string, string>> = {
  given_name: 'Ada',
  family_name: 'Example',
  birthdate: '1984-08-12',
  locality: 'Exampleton',
  country: 'DE',
  nationalities: 'DE, AT',
  issuing_country: 'DE',
  employee_id: 'E-1000',
  department: 'Research',
  company: 'Example Ltd',
  member: 'Ada',
  level: 'gold',
  iban: 'DE02120300000000202051',
  holder: 'Ada Example',
};

/** What a type is called: by its metadata as a whole, unless they have a display in the language of the reader. */
export function nameOf({ id, metadata: { name = id, display = [] } }: CredentialType, language: Language): string {
  const [, ...translations] = display;
  return translations.find(({ locale }) => locale.startsWith(language))?.name ?? name;
}

function kindOf(path: readonly (string | number | null)[]): Field['kind'] {
  const last = path.at(-1);
  if (last === null) return 'list';
  if (/date$/.test(String(last))) return 'date';
  return /^\d+$|^is_/.test(String(last)) ? 'flag' : 'text';
}

function labelOf({ display = [] }: ClaimMetadata, name: string, language: Language): string {
  const own = display.find(({ locale }) => locale.startsWith(language)) ?? display[0];
  return own?.label ?? name;
}

const isPart = (whole: ClaimMetadata, { path }: ClaimMetadata) =>
  path.length > whole.path.length && whole.path.every((step, index) => step === path[index]);

/** The inputs for a type: its claims that have no parts, without those that the issuer sets. */
export function fieldsOf({ metadata }: CredentialType, language: Language): readonly Field[] {
  const claims = metadata.claims ?? [];
  return claims
    .filter((claim) => !OWN.includes(String(claim.path[0])) && !claims.some((other) => isPart(claim, other)))
    .map((claim) => {
      const path = claim.path.filter((step) => step !== null).map(String);
      const name = path.at(-1) ?? '';
      const kind = kindOf(claim.path);
      const label = labelOf(claim, name, language);
      const key = JSON.stringify(claim.path);
      const place = ['claims', ...path].join('.');
      return { key, path, place, label, kind, mandatory: claim.mandatory === true, sample: SAMPLES[name] ?? '' };
    });
}

function valueOf({ kind }: Field, text: string): unknown {
  if (kind === 'flag') return text === 'true';
  if (kind !== 'list') return text;
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function withValue(claims: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  const [name = '', ...rest] = path;
  if (rest.length === 0) return { ...claims, [name]: value };
  return { ...claims, [name]: withValue((claims[name] ?? {}) as Record<string, unknown>, rest, value) };
}

/** The claims of an offer, from what was typed in; empty inputs are left out. */
export function claimsOf(fields: readonly Field[], values: Readonly<Record<string, string>>): Record<string, unknown> {
  let claims: Record<string, unknown> = {};
  for (const field of fields) {
    const text = values[field.key] ?? field.sample;
    if (text !== '') claims = withValue(claims, field.path, valueOf(field, text));
  }
  return claims;
}
