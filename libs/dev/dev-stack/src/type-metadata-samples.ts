const inEnglish = (label: string) => [{ locale: 'en', label }];

/** Strict wallets refuse credentials with claims that their type does not list; `sub` of a batch may be withheld. */
const REGISTERED = [
  { path: ['iat'], sd: 'never', display: inEnglish('Issued at') },
  { path: ['sub'], sd: 'allowed', display: inEnglish('Subject') },
];

const PERSON = [
  { path: ['given_name'], mandatory: true, sd: 'always', display: inEnglish('Given name') },
  { path: ['family_name'], mandatory: true, sd: 'always', display: inEnglish('Family name') },
  { path: ['birthdate'], sd: 'always', display: inEnglish('Date of birth') },
  { path: ['address'], sd: 'always', display: inEnglish('Address') },
  { path: ['address', 'locality'], sd: 'always', display: inEnglish('Town') },
  { path: ['address', 'country'], sd: 'always', display: inEnglish('Country') },
  { path: ['nationalities'], sd: 'always', display: inEnglish('Nationalities') },
  { path: ['nationalities', null], sd: 'always', display: inEnglish('Nationality') },
  { path: ['issuing_country'], sd: 'never', display: inEnglish('Issued in') },
  ...REGISTERED,
];

/** The last segment of the issuer identifier for EU wallets, and its type. */
export const EUDI_SAMPLE_ISSUER = 'eudi';
export const EUDI_SAMPLE_TYPE = 'eu-identity-card';

/** Sample Type Metadata documents (SD-JWT VC); the name becomes the `credential_configuration_id`. */
export const TYPE_METADATA_SAMPLES: Readonly<Record<string, object>> = {
  'identity-card': {
    name: 'Identity card',
    description: 'A sample of a credential about a person; it proves nothing',
    display: [{ locale: 'en', name: 'Sample identity card' }],
    claims: PERSON,
  },
  [EUDI_SAMPLE_TYPE]: {
    name: 'EU identity card',
    description: 'A sample of a credential for EU wallets; it proves nothing',
    display: [{ locale: 'en', name: 'Sample EU identity card' }],
    claims: PERSON,
  },
  'employee-badge': {
    name: 'Employee badge',
    description: 'A sample of a credential that a company issues to its staff',
    display: [{ locale: 'en', name: 'Sample employee badge' }],
    claims: [
      { path: ['employee_id'], mandatory: true, sd: 'always', display: inEnglish('Employee number') },
      { path: ['department'], sd: 'allowed', display: inEnglish('Department') },
      { path: ['company'], mandatory: true, sd: 'never', display: inEnglish('Company') },
      ...REGISTERED,
    ],
  },
  'loyalty-card': {
    name: 'Loyalty card',
    description: 'A sample of a credential that a shop issues to its customers',
    display: [{ locale: 'en', name: 'Sample loyalty card' }],
    claims: [
      { path: ['member'], mandatory: true, sd: 'always', display: inEnglish('Member') },
      { path: ['level'], mandatory: true, sd: 'allowed', display: inEnglish('Level') },
      ...REGISTERED,
    ],
  },
};

/**
 * Two issuers: `ISSUER_URL` for wallets without attestations, and one below it for EU wallets, which attest their keys.
 */
export const ISSUANCE_SAMPLE = {
  attestations: 'off',
  issuers: {
    [EUDI_SAMPLE_ISSUER]: {
      profile: 'eudi',
      attestations: 'optional',
      display: [{ locale: 'en', name: 'Sample issuer for EU wallets' }],
      issuer_info: [{ format: 'registrar_dataset', data: { registryURI: 'https://registry.vestibule.test' } }],
      types: { [EUDI_SAMPLE_TYPE]: { proof_signing_alg_values: ['ES256', 'ES384'] } },
    },
  },
} as const;
