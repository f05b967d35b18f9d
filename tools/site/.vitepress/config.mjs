import { readFileSync } from 'node:fs';

const sidebar = JSON.parse(readFileSync(new URL('../dist/sidebar.json', import.meta.url), 'utf8'));

/** The anchors that readers of the repository know. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .trim()
    .replaceAll(' ', '-');

/** Diagrams are drawn in the browser, by the theme. */
function drawDiagrams(markdown) {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index];
    if (info.trim() !== 'mermaid') return fence(tokens, index, ...rest);
    return `<Diagram code="${encodeURIComponent(content)}" />`;
  };
}

export default {
  title: 'Vestibule',
  description: 'Connects any backend to EU digital identity wallets',
  lang: 'en-GB',
  srcDir: 'dist/source',
  outDir: 'dist/pages',
  cacheDir: 'node_modules/.cache/vitepress',
  cleanUrls: true,
  ignoreDeadLinks: false,
  metaChunk: true,
  markdown: {
    // Text is text: what looks like a tag in it is not one.
    html: false,
    anchor: { slugify },
    config: drawDiagrams,
  },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Tutorials', link: '/tutorials/' },
      { text: 'Integrate', link: '/integration' },
      { text: 'Operate', link: '/operations' },
      { text: 'Reference', link: '/errors' },
    ],
  },
};
