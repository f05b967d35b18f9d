import fc from 'fast-check';
import { createCanary, findForms, formsOf } from './canary';

const canary = createCanary();
const forms = formsOf(canary);
const padding = fc.string({ unit: 'binary-ascii', maxLength: 20 });

describe('the forms of a canary', () => {
  it.each<[string, (text: string) => string]>([
    ['plain', (text) => text],
    ['base64', (text) => Buffer.from(text).toString('base64')],
    ['base64url', (text) => Buffer.from(text).toString('base64url')],
    ['hex', (text) => Buffer.from(text).toString('hex')],
    ['hex', (text) => Buffer.from(text).toString('hex').toUpperCase()],
    ['URL', (text) => encodeURIComponent(text)],
    ['form', (text) => new URLSearchParams({ a: text }).toString()],
    ['JSON', (text) => JSON.stringify({ a: text })],
    ['base64url', (text) => Buffer.from(JSON.stringify({ a: text })).toString('base64url')],
    [
      'URL, all encoded',
      (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    ],
  ])('are found as %s, whatever stands beside them', (name, encode) => {
    fc.assert(
      fc.property(padding, padding, (before, after) => {
        const found = (text: string) => findForms(Buffer.from(encode(`${before}${text}${after}`)), forms);
        expect(found(canary.mark)).toContain(name);
        expect(found(canary.core)).not.toEqual([]);
      }),
    );
  });

  it('are not found in other texts, nor those of another canary', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => findForms(Buffer.from(bytes), forms).length === 0),
    );
    const other = createCanary();
    expect(findForms(Buffer.concat(formsOf(other).map(({ bytes }) => bytes)), forms)).toEqual([]);
  });

  it('differ from each other: what encodings change is in the mark', () => {
    const names = ['plain', 'JSON', 'JSON, ASCII', 'URL', 'form', 'hex', 'base64', 'base64url', 'UTF-16'];
    expect([...new Set(forms.map(({ name }) => name))]).toEqual(expect.arrayContaining(names));
  });
});
