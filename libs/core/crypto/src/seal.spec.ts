import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createSealer, hasMark, openUnder, SEALED_HEAD_BYTES, sealingKeyMark, sealUnder } from './seal';

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

  it('marks records with what a key is known by outside', () => {
    const mark = sealingKeyMark(newKey);
    expect(mark).toMatch(/^[0-9a-f]{16}$/);
    expect(sealer.seal(Buffer.from('x'), 'c').subarray(1, 9).toString('hex')).toBe(mark);
    expect(sealingKeyMark(oldKey)).not.toBe(mark);
    expect(() => sealingKeyMark(newKey.subarray(1))).toThrow(RangeError);
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

  it('moves a record under the newest key by its head alone, and the older key can go', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (content, context) => {
        const sealed = createSealer([oldKey], randomBytes).seal(content, context);
        const head = sealer.rewrap(sealed.subarray(0, SEALED_HEAD_BYTES), context);
        const moved = Buffer.concat([head, sealed.subarray(SEALED_HEAD_BYTES)]);
        expect([hasMark(sealed, sealer.currentMark), hasMark(moved, sealer.currentMark)]).toEqual([false, true]);
        expect(createSealer([newKey], randomBytes).open(moved, context)).toEqual(Buffer.from(content));
        expect(() => createSealer([oldKey], randomBytes).open(moved, context)).toThrow(broken);
      }),
    );
  });

  it('moves no head of another context, changed at any byte, cut, or of a key that is gone', () => {
    const head = createSealer([oldKey], randomBytes).seal(Buffer.from('x'), 'row 1').subarray(0, SEALED_HEAD_BYTES);
    expect(() => sealer.rewrap(head, 'row 2')).toThrow(broken);
    expect(() => createSealer([newKey], randomBytes).rewrap(head, 'row 1')).toThrow(broken);
    for (let index = 0; index < head.length; index += 1) {
      const changed = Buffer.from(head);
      changed[index] = (changed[index] as number) ^ 1;
      expect(() => sealer.rewrap(changed, 'row 1')).toThrow(broken);
      expect(() => sealer.rewrap(head.subarray(0, index), 'row 1')).toThrow(broken);
    }
  });

  it('opens what an earlier version sealed and stored, and says the same of its key', () => {
    const key = Buffer.alloc(32, 1);
    const stored = [
      'AYHmGULRN1hzAgICAgICAgICAgICBdTLS0hVw__Rzr7KXqXAsKC30-3ps49z34Xi-Xr5dn2c2yXH7ibQYs2UUWGhD7KW',
      'AgICAgICAgICAgICC6sA8feDD3ebV5U97nNXKWr67dPujTY',
    ];
    const sealed = Buffer.from(stored.join(''), 'base64url');
    expect(createSealer([key], randomBytes).open(sealed, 'row 1').toString()).toBe('content');
    expect(sealingKeyMark(key)).toBe('81e61942d1375873');
    const under = Buffer.from('AgICAgICAgICAgICZLmnPS85tfLYtHCqEioWAkHWCYujqps', 'base64url');
    expect(openUnder(key, under, 'row 1').toString()).toBe('content');
  });

  it('demands keys of 32 bytes, and at least one', () => {
    expect(() => createSealer([], randomBytes)).toThrow(RangeError);
    expect(() => createSealer([randomBytes(16)], randomBytes)).toThrow(RangeError);
  });
});

describe('sealUnder', () => {
  it('is opened by the same key and context alone, and hides the content', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (content, context) => {
        const sealed = sealUnder(newKey, content, context, randomBytes);
        expect(openUnder(newKey, sealed, context)).toEqual(Buffer.from(content));
        expect(() => openUnder(oldKey, sealed, context)).toThrow(broken);
        expect(() => openUnder(newKey, sealed, `${context}x`)).toThrow(broken);
      }),
    );
    expect(sealUnder(newKey, Buffer.from('canary-canary'), 'c', randomBytes).includes('canary')).toBe(false);
  });

  it('gives bytes that were changed anywhere, or cut, to nobody', () => {
    const sealed = sealUnder(newKey, Buffer.from('content'), 'c', randomBytes);
    for (let index = 0; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] as number) ^ 1;
      expect(() => openUnder(newKey, changed, 'c')).toThrow(broken);
      expect(() => openUnder(newKey, sealed.subarray(0, index), 'c')).toThrow(broken);
    }
  });
});
