import { describeWithVectors, readJsonVector } from '@vestibule/testkit';
import type { JsonObject } from '@vestibule/foundation';
import { disclosurePlan, loadCredentialTypes } from './index';

function planFor(claims: unknown) {
  const bytes = Buffer.from(JSON.stringify({ claims }));
  const [type] = loadCredentialTypes([{ configurationId: 'x', bytes }], 'https://c.example.com');
  if (!type) throw new Error('no type');
  return disclosurePlan(type);
}

describe('disclosurePlan', () => {
  const plan = planFor([
    { path: ['given_name'], sd: 'always' },
    { path: ['age'], sd: 'never' },
    { path: ['nationalities'] },
    { path: ['address'], sd: 'always' },
    { path: ['address', 'street'], sd: 'always' },
    { path: ['address', 'country'], sd: 'never' },
    { path: ['degrees', null, 'type'], sd: 'always' },
    { path: ['scores', 1], sd: 'always' },
    { path: ['__proto__', 'x'], sd: 'always' },
  ]);

  it.each<[string, (string | number)[], string]>([
    ['a claim that is always', ['given_name'], 'always'],
    ['a claim that is never', ['age'], 'never'],
    ['a claim without sd', ['nationalities'], 'allowed'],
    ['a listed sub-claim', ['address', 'street'], 'always'],
    ['a listed sub-claim that is never', ['address', 'country'], 'never'],
    ['a sub-claim of every element', ['degrees', 7, 'type'], 'always'],
    ['one element by its index', ['scores', 1], 'always'],
    ['a name that objects inherit', ['__proto__', 'x'], 'always'],
  ])('VCI:V18 obeys the type: %s', (_what, path, expected) => {
    expect(plan(path)).toBe(expected);
  });

  it.each<[string, (string | number)[], string]>([
    ['an unlisted sub-claim goes with its listed parent', ['address', 'city'], 'never'],
    ['an unlisted element goes with its listed array', ['nationalities', 0], 'never'],
    ['an unlisted place below an unlisted place does so too', ['address', 'geo', 'lat'], 'never'],
    ['an object that is only on the way to a claim stays plain', ['degrees'], 'never'],
    ['an element that is only on the way to a claim stays plain', ['degrees', 0], 'never'],
    ['what is not listed at all may be hidden', ['unknown'], 'allowed'],
    ['an index that is not listed may be hidden', ['scores', 0], 'allowed'],
    ['a name inherited by objects is not listed', ['toString'], 'allowed'],
  ])('VCI:V18 where the type is silent: %s', (_what, path, expected) => {
    expect(plan(path)).toBe(expected);
  });

  it.each(['iss', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status', 'aka_vcts', 'sub', 'iat'])(
    'VCI:V4 VCI:V5 never hides %s nor what is in it',
    (name) => {
      expect(plan([name])).toBe('never');
      expect(plan([name, 'x'])).toBe('never');
    },
  );
});

describeWithVectors('disclosurePlan on education_credential v42', () => {
  it('VCI:V18 obeys each of its seven claims', () => {
    const { claims } = readJsonVector('issuer/sd-jwt-vc/inline/example-type-metadata.json') as JsonObject;
    const plan = planFor(claims);
    expect(plan(['name'])).toBe('always');
    expect(plan(['address'])).toBe('always');
    expect(plan(['address', 'street_address'])).toBe('always');
    expect(plan(['address', 'city'])).toBe('never');
    expect(plan(['degrees'])).toBe('never');
    expect(plan(['degrees', 2])).toBe('always');
    expect(plan(['degrees', 2, 'field_of_study'])).toBe('never');
    expect(plan(['degrees', 0, 'date_awarded'])).toBe('always');
  });
});
