import type { ClaimPath, JsonObject } from '@vestibule/demo-wallet';

/** Values of an invented person, by the names that PID, mDL and our samples use. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  given_name: 'Ada',
  family_name: 'Example',
  birthdate: '1984-08-12',
  birth_date: '1984-08-12',
  birth_family_name: 'Example',
  place_of_birth: { locality: 'Exampleton', country: 'DE' },
  nationalities: ['DE'],
  sex: 2,
  email: 'ada@example.com',
  phone_number: '+49301234567',
  personal_administrative_number: 'EX-1984-0812',
  formatted: 'Example Lane 1, 12345 Exampleton, Germany',
  street_address: 'Example Lane 1',
  house_number: '1',
  postal_code: '12345',
  locality: 'Exampleton',
  region: 'Example State',
  country: 'DE',
  issuing_country: 'DE',
  issuing_authority: 'Example Authority',
  issuing_jurisdiction: 'DE-XX',
  document_number: 'EX0000001',
  date_of_expiry: '2090-01-01',
  date_of_issuance: '2024-01-01',
  age_in_years: 41,
  age_birth_year: 1984,
  employee_id: 'E-1000',
  department: 'Research',
  company: 'Example Ltd',
  iban: 'DE02120300000000202051',
};

/** A value for one step of a path: of `age_equal_or_over`, each number is true. */
function sampleOf(name: string): unknown {
  if (Object.hasOwn(SAMPLES, name)) return SAMPLES[name];
  return /^\d+$|^(?:is|has|age_over)_/.test(name) ? true : `Sample ${name}`;
}

function valueAt(name: string, rest: ClaimPath, wanted: unknown, before: unknown): unknown {
  const [next, ...further] = rest;
  if (next === undefined) return wanted ?? before ?? sampleOf(name);
  if (typeof next === 'string') {
    const object = typeof before === 'object' && before !== null && !Array.isArray(before) ? before : {};
    return { ...object, [next]: valueAt(next, further, wanted, (object as JsonObject)[next]) };
  }
  const sample = sampleOf(name);
  const list = Array.isArray(before) ? before : Array.isArray(sample) ? sample : [];
  const at = next ?? 0;
  return Array.from({ length: Math.max(list.length, at + 1) }, (_, index) =>
    index === at ? valueAt(name, further, wanted, list[index] ?? 'Sample') : (list[index] ?? 'Sample'),
  );
}

/** A claim that a query asks for, with the values that it accepts. */
export interface AskedClaim {
  readonly path: ClaimPath;
  readonly values?: readonly unknown[];
}

/** Claims that answer a query: the first accepted value, or that of an invented person. */
export function sampleClaims(asked: readonly AskedClaim[]): JsonObject {
  let claims: JsonObject = {};
  for (const { path, values } of asked) {
    const [name, ...rest] = path;
    if (typeof name !== 'string' || name === '__proto__') continue;
    claims = { ...claims, [name]: valueAt(name, rest, values?.[0], claims[name]) };
  }
  return claims;
}
