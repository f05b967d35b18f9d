import { createNxCopy, type NxCopy } from './nx-copy';

jest.setTimeout(600_000);

let copy: NxCopy;
beforeAll(() => void (copy = createNxCopy()));
afterAll(() => copy.remove());

const affectedBy = (file: string) =>
  JSON.parse(copy.nx(['show', 'projects', '--affected', `--files=${file}`, '--json'])) as string[];

describe('what Nx calls affected', () => {
  it('is every project after a change of the configuration of lint or of Jest', () => {
    const everyProject = (JSON.parse(copy.nx(['show', 'projects', '--json'])) as string[]).sort();
    for (const file of ['eslint.config.mjs', '.oxlintrc.json', 'jest.config.cjs'])
      expect(affectedBy(file).sort()).toEqual(everyProject);
  });

  it('is what uses a library, and nothing else', () => {
    const affected = affectedBy('libs/core/dcql/src/index.ts');
    expect(affected).toEqual(expect.arrayContaining(['dcql', 'oid4vp', 'verifier', 'e2e', 'workspace']));
    expect(
      affected.filter((name) => ['foundation', 'crypto', 'vcdm', 'claims-schema', 'issuer'].includes(name)),
    ).toEqual([]);
  });

  it('is an app and what starts it, and no other app', () => {
    expect(affectedBy('apps/verifier/src/config.ts').sort()).toEqual(['e2e', 'tools', 'verifier', 'workspace']);
  });

  it('is only what reads the documents after a change of one', () => {
    expect(affectedBy('docs/flows.md').sort()).toEqual(['tools', 'workspace']);
  });
});
