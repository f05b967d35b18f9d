import { digestOfKeys, transactionIdOf } from './kept-answer';

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
