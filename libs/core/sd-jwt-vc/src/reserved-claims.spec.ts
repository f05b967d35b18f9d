import type { JsonObject } from '@vestibule/foundation';
import { findReservedClaims } from './index';

const pathsOf = (claims: JsonObject) => findReservedClaims(claims).map(({ path }) => path);

describe('claims that a backend may not set', () => {
  it.each(['_sd', '...', '_sd_alg'])('VCI:V16 %s is refused at every level', (name) => {
    const claims = { [name]: 1, a: { [name]: 1 }, list: [[{ [name]: [] }]] };
    expect(findReservedClaims(claims)).toHaveLength(3);
  });

  it.each(['iss', 'sub', 'iat', 'exp', 'nbf', 'vct', 'vct#integrity', 'cnf', 'status', 'aka_vcts', 'jti'])(
    'VCI:V17 %s is refused at the top level only',
    (name) => {
      expect(findReservedClaims({ [name]: 'x' })).toHaveLength(1);
      expect(findReservedClaims({ person: { [name]: 'x' } })).toEqual([]);
    },
  );

  it('VCI:V17 every wrong place is named', () => {
    const claims = {
      iss: 1,
      'vct#integrity': 1,
      person: { _sd: 1, 'first name': { '...': 1 } },
      list: [1, { _sd: 1 }],
    };
    expect(pathsOf(claims)).toEqual([
      'iss',
      'vct#integrity',
      'person._sd',
      'person["first name"]["..."]',
      'list[1]._sd',
    ]);
  });

  it('nesting that a verifier would refuse is named', () => {
    const nested = (depth: number): JsonObject => (depth === 1 ? { end: 1 } : { a: nested(depth - 1) });
    expect(findReservedClaims(nested(31))).toEqual([]);
    expect(findReservedClaims(nested(32))).toHaveLength(1);
    expect(findReservedClaims(nested(5000))).toHaveLength(1);
  });
});
