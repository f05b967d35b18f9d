import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installPackages, runIn } from './own-package';
import type { ToolContext } from './start';

/** A section of the sidebar. */
export interface SiteSection {
  readonly title: string;
  /** Files of the repository. */
  readonly pages: readonly string[];
}

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** The one list of all pages, which the sidebar is made from. */
export const readSections = (root: string): readonly SiteSection[] =>
  JSON.parse(readFileSync(path.join(root, 'tools/site/pages.json'), 'utf8')) as readonly SiteSection[];

/** The file of a page in the site: `docs` is its root, and a README is the index of its folder. */
export const siteFile = (page: string): string =>
  page
    .replace(/^docs\//, '')
    .replace(/(^|\/)README\.md$/, '$1index.md')
    .replace(/^[A-Z]+\.md$/, (name) => name.toLowerCase());

const BLOCK = /^( *)```[\s\S]*?^\1```$/gm;
const IMAGE_OR_OUTSIDE = /^(?:https?:|mailto:|#)|\.png$/;

/** What a link of a page becomes: pages of the site by their path in it, other files of the repository as plain text. */
function siteLink(page: string, pages: ReadonlySet<string>, link: readonly [whole: string, text: string, to: string]) {
  const [whole, text, to] = link;
  if (IMAGE_OR_OUTSIDE.test(to)) return whole;
  const [file = '', anchor] = to.split('#');
  const target = path.posix.join(path.posix.dirname(page), file);
  if (!pages.has(target)) return text;
  const address = `/${siteFile(target)}`.replace(/(?:index)?\.md$/, '');
  return `[${text}](${address}${anchor === undefined ? '' : `#${anchor}`})`;
}

/** The text of a page for the site: without comments, and with links that lead to pages of the site. */
export function siteText(page: string, text: string, pages: ReadonlySet<string>): string {
  const blocks: string[] = [];
  const withoutBlocks = text.replace(BLOCK, (block) => `\u0000${blocks.push(block) - 1}\u0000`);
  const linked = withoutBlocks
    .replace(/^<!--[\s\S]*?-->\n?/gm, '')
    .replace(/(?<!!)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole: string, label: string, to: string) =>
      siteLink(page, pages, [whole, label, to]),
    )
    .replaceAll('](docs/images/', '](images/');
  return linked.replace(/\u0000(\d+)\u0000/g, (_, index: string) => blocks[Number(index)] ?? '');
}

const titleOf = (text: string) => (/^# (.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', '');

/** Writes the pages and the sidebar to where VitePress reads them. */
function writeSource(root: string, folder: string): void {
  const sections = readSections(root);
  const pages = new Set(sections.flatMap((section) => section.pages));
  const read = (page: string) => readFileSync(path.join(root, page), 'utf8');
  rmSync(folder, { recursive: true, force: true });
  for (const page of pages) {
    const file = path.join(folder, siteFile(page));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, siteText(page, read(page), pages));
  }
  cpSync(path.join(root, 'docs/images'), path.join(folder, 'images'), { recursive: true });
  const sidebar = sections.map(({ title, pages: own }) => ({
    text: title,
    collapsed: title === 'Decisions',
    items: own.map((page) => ({
      text: titleOf(read(page)),
      link: `/${siteFile(page).replace(/(?:index)?\.md$/, '')}`,
    })),
  }));
  writeFileSync(path.join(folder, '../sidebar.json'), JSON.stringify(sidebar));
}

/** `npm run site`: makes the documentation site in tools/site/dist/pages. A link that leads nowhere is an error. */
export async function main({ environment, root }: ToolContext): Promise<number> {
  const folder = path.join(root, 'tools/site');
  await installPackages({ name: 'site', folder, environment, report: print });
  writeSource(root, path.join(folder, 'dist/source'));
  print('site: building its pages');
  await runIn(folder, [process.execPath, 'node_modules/vitepress/bin/vitepress.js', 'build', '.']);
  print(`site: ${path.join(folder, 'dist/pages')}`);
  return 0;
}
