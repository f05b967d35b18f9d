import { digestOfKeys, redeemedCode, transactionIdOf, type RedeemingRequest } from './kept-answer';

describe('the transaction_id of deferred credentials', () => {
  const [one, two] = [digestOfKeys(['a', 'b']), digestOfKeys(['b', 'a'])] as const;

  it('VCI:F2 is the same for the same token and keys, and has 256 bits', () => {
    expect(transactionIdOf('token', one)).toMatch(/^[\w-]{43}$/);
    expect(transactionIdOf('token', one)).toBe(transactionIdOf('token', digestOfKeys(['a', 'b'])));
  });

  it('VCI:F2 is another for other keys, another order of them, and another token', () => {
    const ids = [transactionIdOf('token', one), transactionIdOf('token', two), transactionIdOf('tokem', one)];
    expect(new Set([...ids, transactionIdOf('token', digestOfKeys(['a']))]).size).toBe(4);
  });
});

describe('the key of a kept token', () => {
  const request: RedeemingRequest = {
    preAuthorizedCode: 'code',
    txCode: '1234',
    clientId: 'wallet',
    key: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' },
    issuer: '',
  };
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

  it.each<[string, Partial<RedeemingRequest>]>([
    ['x of the proof key', { key: { ...request.key, x: 'z' } }],
    ['y of the proof key', { key: { ...request.key, y: 'z' } }],
    ['client_id', { clientId: 'other' }],
    ['lack of a client_id', { clientId: undefined }],
    ['code', { preAuthorizedCode: 'other' }],
    ['issuer', { issuer: 'other' }],
  ])('VCI:T20 is another for another %s', (_what, change) => {
    const [own, other] = [redeemedCode(request), redeemedCode({ ...request, ...change })];
    expect(hex(other.key)).not.toBe(hex(own.key));
    expect(hex(other.requestDigest)).not.toBe(hex(own.requestDigest));
  });

  it('VCI:T20 is the same for another transaction code, which makes another request', () => {
    const [own, other] = [redeemedCode(request), redeemedCode({ ...request, txCode: '5678' })];
    expect(hex(other.key)).toBe(hex(own.key));
    expect(hex(other.requestDigest)).not.toBe(hex(own.requestDigest));
  });
});
