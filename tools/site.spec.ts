import { existsSync } from 'node:fs';
import path from 'node:path';
import { filesBelow } from './docs/repository-files';
import { readSections, siteFile, siteText } from './site';

const root = path.resolve(__dirname, '..');
const listed = readSections(root).flatMap(({ pages }) => pages);

describe('21.5 the documentation site', () => {
  it('has every page of docs/ exactly once in its sidebar, and no page that does not exist', () => {
    const pages = filesBelow(root, 'docs').filter((file) => file.endsWith('.md'));
    expect(pages.filter((page) => listed.filter((one) => one === page).length !== 1)).toEqual([]);
    expect([...new Set(listed)]).toEqual(listed);
    expect(listed.filter((page) => !existsSync(path.join(root, page)))).toEqual([]);
  });

  it('gives each page an address of its own', () => {
    expect(new Set(listed.map(siteFile)).size).toBe(listed.length);
    expect(
      ['README.md', 'docs/tutorials/README.md', 'docs/a.md', 'SECURITY.md', 'deploy/README.md'].map(siteFile),
    ).toEqual(['index.md', 'tutorials/index.md', 'a.md', 'security.md', 'deploy/index.md']);
  });

  it('keeps links between its pages with their headings, and leaves links to sources as text', () => {
    const pages = new Set(['docs/a.md', 'docs/b/README.md', 'SECURITY.md']);
    const text = [
      '<!-- made by a tool -->',
      '[b](b/README.md) [one](../SECURITY.md#one) [code](../tools/site.ts) [out](https://x.example/a.md) [here](#one)',
      '![picture](images/x.png)',
      '```',
      '<!-- kept --> [kept](b/README.md)',
      '```',
    ].join('\n');
    expect(siteText('docs/a.md', text, pages)).toBe(
      [
        '[b](/b/) [one](/security#one) code [out](https://x.example/a.md) [here](#one)',
        '![picture](images/x.png)',
        '```',
        '<!-- kept --> [kept](b/README.md)',
        '```',
      ].join('\n'),
    );
  });
});
