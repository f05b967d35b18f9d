import { createECDH } from 'node:crypto';
import { createEphemeralKeyPair } from './index';

describe('createEphemeralKeyPair', () => {
  it('draws 256 bits, and again where they are zero or beyond the order of the curve', () => {
    const draws = [Buffer.alloc(32), Buffer.alloc(32, 0xff), Buffer.alloc(32, 7)];
    const sizes: number[] = [];
    const { privateKey, publicJwk } = createEphemeralKeyPair((size) => {
      sizes.push(size);
      return draws.shift() ?? Buffer.alloc(size, 1);
    });
    expect(sizes).toEqual([32, 32, 32]);
    expect(Buffer.from(privateKey)).toEqual(Buffer.alloc(32, 7));
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey(privateKey);
    const [x, y] = [publicJwk.x, publicJwk.y].map((coordinate) => Buffer.from(coordinate, 'base64url'));
    expect(Buffer.concat([Buffer.of(4), x as Buffer, y as Buffer])).toEqual(ecdh.getPublicKey());
  });
});
