// The documentation as a site: the pages of docs/ as they are, and those of examples/. Nothing is written twice.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const packageFile = (path) => fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

/** The groups of docs/index.md: a title each, and its links. */
const groups = readFileSync(`${root}/docs/index.md`, 'utf8')
  .split(/^(?=\*\*)/m)
  .slice(1)
  .map((group) => ({
    text: /^\*\*(.+?)\*\*/.exec(group)[1],
    collapsed: group.startsWith('**Each kind'),
    items: [...group.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, text, link]) => ({
      text,
      link: link.startsWith('../') ? link.slice(2) : `/docs/${link}`,
    })),
  }));

const examples = readdirSync(`${root}/examples`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({ text: name, link: `/examples/${name}/README.md` }));

export default defineConfig({
  title: 'lait',
  description: 'Declarative workflows for language models',
  srcDir: root,
  outDir: fileURLToPath(new URL('../dist', import.meta.url)),
  cacheDir: fileURLToPath(new URL('../.cache', import.meta.url)),
  srcExclude: [
    '**/node_modules/**',
    'packages/**',
    'bench/**',
    'site/**',
    'test/**',
    'examples/*/agents/**',
    'examples/ask-files/handbook/**',
  ],
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, '$1index.md'),
  cleanUrls: true,
  lastUpdated: false,
  // Files of the repository that are linked to and are no pages.
  ignoreDeadLinks: [/\/(LICENSE|examples\/.*\.(yml|json|mjs))$/, /^https?:\/\/localhost/],
  // The pages lie outside this folder, whose packages they need all the same.
  vite: {
    resolve: {
      alias: [
        { find: /^vue$/, replacement: packageFile('vue/dist/vue.runtime.esm-bundler.js') },
        { find: /^vue\/server-renderer$/, replacement: packageFile('vue/server-renderer/index.mjs') },
      ],
    },
  },
  markdown: {
    // `{{ … }}` belongs to the templates that the pages are about and means nothing to the site.
    config: ({ renderer: { rules }, utils }) => {
      const { code_inline: inline } = rules;
      rules.code_inline = (tokens, index, ...rest) => {
        tokens[index].attrSet('v-pre', '');
        return inline(tokens, index, ...rest);
      };
      rules.text = (tokens, index) =>
        utils.escapeHtml(tokens[index].content).replaceAll('{{', '&#123;&#123;');
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Documentation', link: '/docs/' },
      { text: 'Examples', link: '/examples/' },
      { text: '日本語', link: '/README.ja' },
    ],
    sidebar: { '/docs/': groups, '/examples/': [{ text: 'Examples', items: examples }] },
    outline: [2, 3],
  },
});
