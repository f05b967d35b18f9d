import { findProbableName } from './probable-name';
import { fastestMilliseconds } from '@vestibule/testkit';

describe('findProbableName', () => {
  it.each([
    ['expiresIn', 'expires_in'],
    ['EXPIRES-IN', 'expires_in'],
    ['redirecturi', 'redirect_uri'],
    ['redirect_url', 'redirect_uri'],
    ['transactionDatum', 'transaction_data'],
    ['something_else', undefined],
    ['is', undefined],
    ['', undefined],
    ['x'.repeat(10_000), undefined],
  ])('%s -> %s', (name, expected) => {
    expect(findProbableName(name, ['expires_in', 'redirect_uri', 'transaction_data', 'id'])).toBe(expected);
  });

  it('prefers the nearest, and the first of equals', () => {
    expect(findProbableName('claim', ['claims_', 'claims'])).toBe('claims_');
    expect(findProbableName('vct_value', ['vct_vault', 'vct_values'])).toBe('vct_values');
  });

  it('answers hostile names within 50 ms', () => {
    const milliseconds = fastestMilliseconds(() => {
      for (let index = 0; index < 200; index += 1)
        findProbableName('a'.repeat(250), ['a'.repeat(249), 'ab'.repeat(125)]);
    }, 500);
    expect(milliseconds).toBeLessThan(500);
  });
});
