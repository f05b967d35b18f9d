const labelled = (english: string, german: string) => [
  { locale: 'en', label: english },
  { locale: 'de', label: german },
];

const called = (english: string, german: string) => [
  { locale: 'en', name: english },
  { locale: 'de', name: german },
];

/** Strict wallets refuse credentials with claims that their type does not list; `sub` of a batch may be withheld. */
const REGISTERED = [
  { path: ['iat'], sd: 'never', display: labelled('Issued at', 'Ausgestellt am') },
  { path: ['sub'], sd: 'allowed', display: labelled('Subject', 'Kennung') },
];

const PERSON = [
  { path: ['given_name'], mandatory: true, sd: 'always', display: labelled('Given name', 'Vorname') },
  { path: ['family_name'], mandatory: true, sd: 'always', display: labelled('Family name', 'Nachname') },
  { path: ['birthdate'], sd: 'always', display: labelled('Date of birth', 'Geburtsdatum') },
  { path: ['address'], sd: 'always', display: labelled('Address', 'Anschrift') },
  { path: ['address', 'locality'], sd: 'always', display: labelled('Town', 'Ort') },
  { path: ['address', 'country'], sd: 'always', display: labelled('Country', 'Land') },
  { path: ['nationalities'], sd: 'always', display: labelled('Nationalities', 'Staatsangehörigkeiten') },
  { path: ['nationalities', null], sd: 'always', display: labelled('Nationality', 'Staatsangehörigkeit') },
  { path: ['issuing_country'], sd: 'never', display: labelled('Issued in', 'Ausgestellt in') },
  ...REGISTERED,
];

/** What a wallet shows of a payment before its user confirms it (TS12 §3.2). */
const PAYMENT_DISPLAY = {
  claims: [
    { path: ['payload', 'amount'], visualisation: 1, display: labelled('Amount', 'Betrag') },
    { path: ['payload', 'currency'], visualisation: 1, display: labelled('Currency', 'Währung') },
    { path: ['payload', 'payee', 'name'], visualisation: 1, display: labelled('Payee', 'Empfänger') },
  ],
  ui_labels: {
    affirmative_action_label: [
      { lang: 'en', value: 'Confirm payment' },
      { lang: 'de', value: 'Zahlung bestätigen' },
    ],
  },
};

/** The last segment of the issuer identifier for EU wallets, and its type. */
export const EUDI_SAMPLE_ISSUER = 'eudi';
export const EUDI_SAMPLE_TYPE = 'eu-identity-card';

/** Sample Type Metadata documents (SD-JWT VC); the name becomes the `credential_configuration_id`. */
export const TYPE_METADATA_SAMPLES: Readonly<Record<string, object>> = {
  'identity-card': {
    name: 'Identity card',
    description: 'A sample of a credential about a person; it proves nothing',
    display: called('Sample identity card', 'Muster-Personalkarte'),
    claims: PERSON,
  },
  [EUDI_SAMPLE_TYPE]: {
    name: 'EU identity card',
    description: 'A sample of a credential for EU wallets; it proves nothing',
    display: called('Sample EU identity card', 'Muster-EU-Personalkarte'),
    claims: PERSON,
  },
  'employee-badge': {
    name: 'Employee badge',
    description: 'A sample of a credential that a company issues to its staff',
    display: called('Sample employee badge', 'Muster-Dienstausweis'),
    claims: [
      { path: ['employee_id'], mandatory: true, sd: 'always', display: labelled('Employee number', 'Personalnummer') },
      { path: ['department'], sd: 'allowed', display: labelled('Department', 'Abteilung') },
      { path: ['company'], mandatory: true, sd: 'never', display: labelled('Company', 'Unternehmen') },
      ...REGISTERED,
    ],
  },
  'loyalty-card': {
    name: 'Loyalty card',
    description: 'A sample of a credential that a shop issues to its customers',
    display: called('Sample loyalty card', 'Muster-Kundenkarte'),
    claims: [
      { path: ['member'], mandatory: true, sd: 'always', display: labelled('Member', 'Mitglied') },
      { path: ['level'], mandatory: true, sd: 'allowed', display: labelled('Level', 'Stufe') },
      ...REGISTERED,
    ],
  },
  'bank-account': {
    name: 'Bank account',
    description: 'A sample of a credential that a bank issues, to confirm payments with (TS12)',
    display: called('Sample bank account', 'Muster-Bankkonto'),
    category: 'urn:eu:europa:ec:eudi:sua:sca',
    transaction_data_types: { 'urn:eudi:sca:payment:1': PAYMENT_DISPLAY },
    claims: [
      { path: ['iban'], mandatory: true, sd: 'always', display: labelled('IBAN', 'IBAN') },
      { path: ['holder'], sd: 'always', display: labelled('Account holder', 'Kontoinhaber') },
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
      display: called('Sample issuer for EU wallets', 'Muster-Aussteller für EU-Wallets'),
      issuer_info: [{ format: 'registrar_dataset', data: { registryURI: 'https://registry.vestibule.test' } }],
      types: { [EUDI_SAMPLE_TYPE]: { proof_signing_alg_values: ['ES256', 'ES384'] } },
    },
  },
} as const;
