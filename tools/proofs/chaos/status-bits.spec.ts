import { deflateSync } from 'node:zlib';
import { statusIn } from './status-bits';

const tokenOf = (bits: number, ...bytes: number[]) => {
  const list = { bits, lst: deflateSync(Buffer.from(bytes)).toString('base64url') };
  return ['', Buffer.from(JSON.stringify({ status_list: list })).toString('base64url'), ''].join('.');
};

describe('the status at an index of a list', () => {
  // Token Status List §4.1 and §4.2 have these lists as examples.
  it.each([
    ['with 1 bit', tokenOf(1, 0xb9, 0xa3), '1001110111000101'],
    ['with 2 bits', tokenOf(2, 0xc9, 0x44, 0xf9), '120301011233'],
  ])('is read from the lowest bits on, %s', (_what, token, expected) => {
    const names = ['valid', 'revoked', 'suspended', '3'];
    const found = [...expected].map((_digit, index) => statusIn(token, index));
    expect(found).toEqual([...expected].map((digit) => names[Number(digit)]));
  });
});
