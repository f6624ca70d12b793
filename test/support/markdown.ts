import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** A Markdown file of the repository. */
export interface Page {
  /** Path from the root of the repository: `docs/faults.md`. */
  path: string;
  text: string;
}

export interface CodeBlock {
  /** Position of the block: `docs/faults.md:12`. */
  place: string;
  page: Page;
  language: string;
  text: string;
  /** File name under which the page asks to save the block: the line before it ends in "Save this as `NAME`:". */
  saveAs: string | undefined;
}

/** Whether `npm run clients` writes a page. */
export const isOfClients = ({ path }: Page): boolean => /^docs\/clients[./]/.test(path);

const readPage = (path: string): Page => ({ path, text: readFileSync(join(root, path), 'utf8') });

/** The README and docs/: pages for users, contained in the package. */
export const userPages: readonly Page[] = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`),
].map(readPage);

/** Pages for contributors, who work in a clone. */
export const clonePages: readonly Page[] = [
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'scenarios/README.md',
  ...readdirSync(join(root, 'examples')).map((name) => `examples/${name}/README.md`),
].map(readPage);

/** @throws {Error} if no such page exists */
export function userPage(path: string): Page {
  const page = userPages.find((each) => each.path === path);
  if (page === undefined) throw new Error(`expected a page of the documentation, got ${path}`);
  return page;
}

const fence = /^```(\w*)\n(.*?)^```$/gms;

/** The fenced blocks of a page, in order. */
export function codeBlocks(page: Page): CodeBlock[] {
  return [...page.text.matchAll(fence)].map(({ 1: language = '', 2: text = '', index }) => {
    const before = page.text.slice(0, index);
    return {
      place: `${page.path}:${before.split('\n').length}`,
      page,
      language,
      text,
      saveAs: /[Ss]ave this as `([^`]+)`[^`\n]*:\n\n$/.exec(before)?.[1],
    };
  });
}

/** The code blocks of all user pages in these languages. */
export const blocksIn = (...languages: string[]): CodeBlock[] =>
  userPages.flatMap(codeBlocks).filter(({ language }) => languages.includes(language));

/** A page without its code blocks, which contain no links and headings. */
export const proseOf = ({ text }: Page): string => text.replace(fence, '').replace(/`[^`\n]*`/g, '`code`');

/** Anchors of a page's headings, as on GitHub. */
export function anchorsOf({ text }: Page): string[] {
  const seen = new Map<string, number>();
  return [...text.replace(fence, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** Rows of the first table whose head starts with the given text, as lists of cells. */
export function tableRows({ path, text }: Page, head: string): string[][] {
  const start = text.indexOf(`\n${head}`);
  if (start < 0) throw new Error(`expected a table with the head ${head} in ${path}`);
  const lines = text.slice(start + 1).split('\n\n')[0] as string;
  return lines
    .split('\n')
    .slice(2)
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
