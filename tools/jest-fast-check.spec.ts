import { execFileSync } from 'node:child_process';
import path from 'node:path';

const MODULE = path.join(__dirname, 'jest-fast-check.cjs');

/** How often properties run that state 7 runs and none, as they are imported: whole or as the default. */
function runsOf(environment: Readonly<Record<string, string>>): unknown {
  const program = `
    const whole = require(${JSON.stringify(MODULE)});
    const runs = [whole, whole.default].flatMap((fc) =>
      [{ numRuns: 7 }, undefined].map((parameters) => {
        let count = 0;
        fc.assert(fc.property(fc.nat(), () => void (count += 1)), parameters);
        return count;
      }),
    );
    console.log(JSON.stringify(runs));`;
  return JSON.parse(execFileSync(process.execPath, ['-e', program], { encoding: 'utf8', env: environment }));
}

describe('property tests', () => {
  it('make their usual runs', () => expect(runsOf({})).toEqual([7, 100, 7, 100]));

  it('make so many times as many as `npm run fuzz` says, also those that state a number', () => {
    expect(runsOf({ FUZZ_TIMES: '3' })).toEqual([21, 300, 21, 300]);
  });
});
