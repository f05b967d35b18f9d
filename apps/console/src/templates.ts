import type { TextKey } from './texts-en';

/** A request that developers start from. */
export interface Template {
  readonly id: string;
  readonly label: TextKey;
  readonly body: object;
}

const paths = (...all: readonly (string | readonly (string | null)[])[]) =>
  all.map((path) => ({ path: typeof path === 'string' ? [path] : path }));

const query = (id: string, vct: string, claims: readonly object[]) => ({
  dcql_query: { credentials: [{ id, format: 'dc+sd-jwt', meta: { vct_values: [vct] }, claims }] },
});

const PID = 'urn:eudi:pid:1';

/** The templates for an issuer at this address. */
export const templatesFor = (issuerUrl: string): readonly Template[] => [
  {
    id: 'card',
    label: 'templateCard',
    body: query('card', `${issuerUrl}/oidc4vci/types/identity-card`, paths('given_name', 'family_name')),
  },
  {
    id: 'age',
    label: 'templateAge',
    body: query('pid', PID, [{ path: ['age_equal_or_over', '18'], values: [true] }]),
  },
  { id: 'pid', label: 'templatePid', body: query('pid', PID, paths('given_name', 'family_name', 'birthdate')) },
  {
    id: 'address',
    label: 'templateAddress',
    body: query(
      'pid',
      PID,
      paths(['address', 'street_address'], ['address', 'postal_code'], ['address', 'locality'], ['address', 'country']),
    ),
  },
  {
    id: 'kyc',
    label: 'templateKyc',
    body: query(
      'pid',
      PID,
      paths('given_name', 'family_name', 'birthdate', 'place_of_birth', ['nationalities', null], 'address'),
    ),
  },
  {
    id: 'badge',
    label: 'templateBadge',
    body: query('badge', `${issuerUrl}/oidc4vci/types/employee-badge`, paths('employee_id', 'company')),
  },
];
