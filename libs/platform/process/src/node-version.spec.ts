import { createRequire } from 'node:module';
import { fastestMilliseconds } from '@vestibule/testkit';
import { isSafeNode, NODE_FLOORS } from './node-version';

const load = createRequire(__filename);
const { engines } = load('../../../../package.json') as { engines: { node: string } };
const { isSupported } = load('../../../../tools/checks.cjs') as { isSupported: (version: string) => boolean };

/** Texts of numbers that all take the same way through a hash table whose hash is the number, as one JSON document. */
function flood(size: number): string {
  const modulus = 2 ** 19;
  const texts: string[] = [];
  let next = 1234 + modulus;
  for (let step = 1; step < size; step += 1) {
    texts.push(`"${next}"`);
    next = (next + step) % modulus;
  }
  return `[${[...texts, ...Array<string>(size).fill('"1234"')].join(',')}]`;
}

function plain(size: number): string {
  return `[${Array.from({ length: 2 * size }, (_, index) => `"${1234 + index}"`).join(',')}]`;
}

describe('the versions of Node', () => {
  it.each([
    ['20.20.2', true],
    ['20.20.1', false],
    ['20.19.9', false],
    ['20.21.0', true],
    ['22.22.2', true],
    ['22.22.1', false],
    ['22.9.9', false],
    ['22.23.0', true],
    ['24.14.1', true],
    ['24.14.0', false],
    ['24.4.1', false],
    ['24.100.0', true],
    ['25.8.1', false],
    ['25.8.2', true],
    ['26.0.0', true],
    ['100.0.0', true],
    ['23.11.1', false],
    ['21.7.3', false],
    ['18.20.8', false],
    ['9.99.99', false],
    ['0.0.0', false],
    ['26', false],
    ['', false],
    ['canary', false],
  ])('%s: %s, for a service and for every command', (version, safe) => {
    expect([isSafeNode(version), isSupported(version)]).toEqual([safe, safe]);
    expect(isSafeNode(`v${version}`)).toBe(safe);
  });

  it('are those that package.json demands', () => {
    const floors = NODE_FLOORS.map((floor, index) => (index === NODE_FLOORS.length - 1 ? `>=${floor}` : `^${floor}`));
    expect(engines.node).toBe(floors.join(' || '));
  });

  it('the one that runs this test is among them, and reads a flood of strings like any others', () => {
    expect(isSafeNode(process.version)).toBe(true);
    const size = 2 ** 15;
    const [chosen, ordinary] = [flood(size), plain(size)];
    // A flood that works costs several hundred times as much at this size.
    const limit = 30 * fastestMilliseconds(() => JSON.parse(ordinary));
    expect(fastestMilliseconds(() => JSON.parse(chosen), limit)).toBeLessThan(limit);
  });
});
