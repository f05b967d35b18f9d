import * as byJose from './by-jose';
import * as ecdsa from './ecdsa';
import * as es256 from './es256';
import * as jwe from './jwe';
import * as jwk from './jwk';
import * as jws from './jws';
import { JOSE_PATHS } from './paths';

const functionsOf = (...modules: object[]) =>
  modules.flatMap((one) => Object.entries(one).flatMap(([name, value]) => (typeof value === 'function' ? [name] : [])));
const listed = (side: keyof typeof JOSE_PATHS) => JOSE_PATHS[side].flatMap(({ functions }) => functions).sort();

describe('the table of the two paths of JOSE', () => {
  it('names each function of the jose side, and no other', () => {
    expect(listed('jose')).toEqual(functionsOf(byJose).sort());
  });

  it('names each function of the other side that does cryptography, and no other', () => {
    const parsers = ['parsePublicJwk', 'parseEcJwk', 'parseSigningJwk', 'parseCompactJws', 'requireAlgorithm'];
    const readers = [...parsers, 'requireEs256', 'jwsClaims', 'isP256', 'isKeyFor', 'curveOf', 'algorithmOf'];
    const others = functionsOf(ecdsa, es256, jwe, jwk, jws).filter((name) => !readers.includes(name));
    expect(listed('node:crypto')).toEqual(others.sort());
  });
});
