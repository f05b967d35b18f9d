/** What the shop needs a wallet for. */
export type Purpose = 'login' | 'age';
export const LOGIN: Purpose = 'login';
export const AGE: Purpose = 'age';

const CLAIMS = {
  // The number tells people apart, whatever their names are.
  login: [{ path: ['personal_administrative_number'] }, { path: ['given_name'] }],
  age: [{ path: ['age_equal_or_over', '18'] }],
};

/** The DCQL query of a purpose: as little as it needs, of the PID. */
export const queryFor = (purpose: Purpose) => ({
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt' as const,
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: CLAIMS[purpose].map(({ path }) => ({ path })),
    },
  ],
});
