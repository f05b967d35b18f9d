import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findStackModule, openCheckout } from './checkout';

const APPS = ['gateway', 'verifier', 'issuer', 'wallet-store'];

describe('another checkout', () => {
  let root: string;
  beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'vestibule-checkout-'))));
  afterEach(() => rmSync(root, { recursive: true }));

  const write = (file: string, text = '') => {
    const full = path.join(root, 'dist', file);
    mkdirSync(path.dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };

  it.each([
    ['src/main.js', 'libs/dev-stack/src/index.js'],
    ['main.js', 'libs/dev/dev-stack/src/index.js'],
    ['src/main.js', 'libs/dev/dev-stack/index.js'],
  ])('is found with apps at %s and its stack at %s', (entry, module) => {
    for (const app of APPS) write(`apps/${app}/${entry}`);
    const file = write(module);
    expect(findStackModule(root)).toBe(file);
  });

  it('is refused when it is not built, and the refusal says what is missing and what to do', () => {
    const detail = expect.stringMatching(
      /no dist\/apps\/verifier.*no dist\/libs\/…\/dev-stack.*npm run build/,
    ) as unknown;
    expect(() => findStackModule(root)).toThrow(
      expect.objectContaining({ code: 'checkout_not_built', detail }) as Error,
    );
  });

  it('is refused when one app is missing', () => {
    write('libs/dev/dev-stack/src/index.js');
    for (const app of APPS.slice(1)) write(`apps/${app}/src/main.js`);
    const detail = expect.stringContaining('(no dist/apps/gateway)') as unknown;
    expect(() => findStackModule(root)).toThrow(expect.objectContaining({ detail }) as Error);
  });

  it('starts its stack with its own code', () => {
    for (const app of APPS) write(`apps/${app}/main.js`);
    const file = write('libs/dev/dev-stack/src/index.js');
    const startStack = () => undefined;
    const load = jest.fn(() => ({ startStack }));
    expect(openCheckout(root, load)).toEqual({ name: 'other', startStack });
    expect(load).toHaveBeenCalledWith(file);
  });

  it('is refused when it starts stacks in no way that is known', () => {
    for (const app of APPS) write(`apps/${app}/main.js`);
    write('libs/dev/dev-stack/src/index.js');
    const refused = expect.objectContaining({ code: 'checkout_unknown' }) as Error;
    expect(() => openCheckout(root, () => ({ start: 1 }))).toThrow(refused);
  });
});
