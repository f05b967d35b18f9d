import { compilePackageFile } from './package-file.cjs';

const compile = (text: string, format: 'cjs' | 'esm' = 'esm') => compilePackageFile(text, '/x/file.js', format);

describe('a file of a package in a linked program', () => {
  it.each([
    ['a constant', 'export const one = { two: 1 }; export function change() { one.two = 2; }'],
    ['a variable that nobody assigns', 'export let one = 1;'],
    ['what has its value once the module has run', 'export let One = class {}; One = Object.freeze(One);'],
    ['an enumeration', 'export var Kind; (function (Kind) { Kind[(Kind["A"] = 0)] = "A"; })(Kind || (Kind = {}));'],
    ['a default', 'export default class {}'],
    ['nothing', 'globalThis.one = 1;'],
  ])('has values for exports that never change: %s', (_, text) => {
    expect(compile(text)).toMatchObject({ kind: 'esm', passesOn: false });
  });

  it.each([
    ['assigned', 'export let one = 1; export function set(value) { one = value; }'],
    ['the only export', 'let one = 1; export { one }; queueMicrotask(() => { one = 2; });'],
    ['exported by another name', 'let inner; export { inner as one }; export const set = (value) => (inner = value);'],
    ['counted', 'export let count = 0; export function add() { count += 1; }'],
    ['incremented', 'export let count = 0; export const add = () => ++count;'],
    ['assigned by a pattern', 'export let one; export function set(all) { [one] = all; }'],
    ['assigned by a nested pattern', 'export let one; export function set(all) { ({ a: { b: [one = 1] } } = all); }'],
    ['assigned by a loop', 'export let one; export function last(all) { for (one of all); }'],
    ['assigned if it is not there', 'export let one; export const get = () => (one ??= {});'],
    ['a function that is replaced', 'export function run() { run = () => 2; return 1; }'],
    ['assigned by a method', 'export let one; export class A { set(value) { one = value; } }'],
    ['assigned by a setter', 'export let one; export const a = { set value(value) { one = value; } };'],
    ['assigned when an object is made', 'export let one = 0; export class A { two = (one += 1); }'],
    ['with a dollar in its name', 'export let $one$ = 1; export function set(value) { $one$ = value; }'],
    ['the default', 'let one = 1; export { one as default }; export const set = (value) => { one = value; };'],
  ])('has bindings for exports of which one may change: %s', (_, text) => {
    expect(compile(text)).toMatchObject({ kind: 'live' });
  });

  it.each([
    ['by name', "export { one } from './other.js';"],
    ['after an import', "import { one } from './other.js'; export { one };"],
    ['the default', "export { default } from './other.js';"],
    ['all', "export * from './other.js';"],
  ])('says that it passes on what others export: %s', (_, text) => {
    expect(compile(text)).toMatchObject({ kind: 'esm', passesOn: true });
  });

  it('leaves CommonJS as it is, without comments and in plain ASCII', () => {
    const { kind, code, passesOn } = compile("/* why */ exports.one = 'ä';", 'cjs');
    expect([kind, passesOn]).toEqual(['cjs', false]);
    expect(code).toMatch(/^exports\.one="\\xe4";?$/i);
  });
});
