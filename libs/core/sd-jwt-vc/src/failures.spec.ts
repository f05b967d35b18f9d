import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SD_JWT_FAILURES } from './index';

describe('the table of failures', () => {
  const specs = readdirSync(__dirname).filter((file) => file.endsWith('.spec.ts') && file !== 'failures.spec.ts');
  const tested = specs.map((file) => readFileSync(path.join(__dirname, file), 'utf8')).join('\n');

  it.each(Object.keys(SD_JWT_FAILURES))('has a test that provokes %s', (code) => {
    expect(tested).toContain(`'${code}'`);
  });

  it('says for each failure the rule, its meaning and a remedy', () => {
    for (const [code, { section, meaning, remedy }] of Object.entries(SD_JWT_FAILURES)) {
      expect(code).toMatch(/^[a-z][a-z0-9_]+$/);
      for (const text of [section, meaning, remedy]) expect(text.length).toBeGreaterThan(5);
    }
  });
});
