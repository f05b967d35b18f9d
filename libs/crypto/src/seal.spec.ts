import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createSealer } from './seal';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const broken = expect.objectContaining({ code: 'seal_broken' });

describe('createSealer', () => {
  const sealer = createSealer([newKey, oldKey], randomBytes);

  it('opens what it sealed and hides the content', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (content, context) => {
        expect(sealer.open(sealer.seal(content, context), context)).toEqual(Buffer.from(content));
      }),
    );
    expect(sealer.seal(Buffer.from('canary-canary'), 'c').includes('canary')).toBe(false);
  });

  it('opens records of an older key and seals with the newest', () => {
    const old = createSealer([oldKey], randomBytes);
    expect(sealer.open(old.seal(Buffer.from('x'), 'c'), 'c').toString()).toBe('x');
    expect(() => old.open(sealer.seal(Buffer.from('x'), 'c'), 'c')).toThrow(broken);
  });

  it('refuses a record in another context, changed at any byte, or cut', () => {
    const sealed = sealer.seal(Buffer.from('content'), 'row 1');
    expect(() => sealer.open(sealed, 'row 2')).toThrow(broken);
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] as number) ^ 1;
      expect(() => sealer.open(changed, 'row 1')).toThrow(broken);
      expect(() => sealer.open(sealed.subarray(0, index), 'row 1')).toThrow(broken);
    }
  });

  it('demands keys of 32 bytes, and at least one', () => {
    expect(() => createSealer([], randomBytes)).toThrow(RangeError);
    expect(() => createSealer([randomBytes(16)], randomBytes)).toThrow(RangeError);
  });
});
