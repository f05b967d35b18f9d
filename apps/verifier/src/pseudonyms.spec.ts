import { pseudonymsOf } from './pseudonyms';

const pseudonymKey = Buffer.alloc(32, 7);

describe('18.10 pseudonyms', () => {
  it('are stable for a key, differ between keys of holders and of relying parties, and do not show the thumbprint', () => {
    const mine = pseudonymsOf({ callbackData: 'minimal', pseudonymKey });
    const others = pseudonymsOf({ callbackData: 'minimal', pseudonymKey: Buffer.alloc(32, 8) });
    const again = pseudonymsOf({ callbackData: 'minimal', pseudonymKey });
    expect(mine('shop')?.('a')).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(again('shop')?.('a')).toBe(mine('shop')?.('a'));
    expect(new Set([mine('shop')?.('a'), mine('shop')?.('b'), others('shop')?.('a')]).size).toBe(3);
  });

  it('EU:I2 differ between the relying parties of one installation, of which the default one has no name', () => {
    const of = pseudonymsOf({ callbackData: 'minimal', pseudonymKey });
    expect(new Set([of(undefined)?.('a'), of('shop')?.('a'), of('bank')?.('a'), of('')?.('a')]).size).toBe(4);
  });

  it('do not exist where callbacks contain everything', () => {
    expect(pseudonymsOf({ callbackData: 'full', pseudonymKey })('shop')).toBeUndefined();
  });

  it('need their key', () => {
    const start = () => pseudonymsOf({ callbackData: 'minimal', pseudonymKey: undefined });
    expect(start).toThrow('PSEUDONYM_KEY is required by CALLBACK_DATA=minimal');
  });
});
