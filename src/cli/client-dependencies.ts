import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ClientPage } from '../judge/client-settings.js';
import type { Dependencies } from '../judge/remedy.js';

/** Function that lists the packages on which a project depends, from the text of its manifest. */
type NamesIn = (text: string) => string[];

/** Files that list a project's dependencies, by language. */
const manifests: Partial<Record<ClientPage, Readonly<Record<string, NamesIn>>>> = {
  node: { 'package.json': namesInPackage },
  python: {
    'requirements.txt': (text) => matchesOf(/^\s*(\w[\w.-]*)/gm, text.toLowerCase()),
    'pyproject.toml': namesInPyproject,
  },
  go: { 'go.mod': (text) => matchesOf(/^\s*(?:require\s+)?([\w.-]+\/\S+)\s+v\S+(?!.*\/\/ indirect)/gm, text) },
  perl: { cpanfile: (text) => matchesOf(/^\s*requires\s+["']?([\w:]+)/gm, text) },
};

/**
 * Reads the dependencies of a client's project, for each language from the nearest folder with a manifest.
 * @param folder working directory of the client's command
 */
export function readDependencies(folder = '.'): Dependencies {
  const start = resolve(folder);
  return Object.fromEntries(
    Object.entries(manifests).map(([page, files]) => [page, new Set(nearestNames(start, files))]),
  );
}

/** Names in the manifests of a folder, or of the nearest folder above that has one. */
function nearestNames(folder: string, files: Readonly<Record<string, NamesIn>>): string[] {
  const lists = Object.entries(files).flatMap(([file, namesIn]) => {
    const text = readIfPresent(join(folder, file));
    return text === undefined ? [] : [namesIn(text)];
  });
  const parent = dirname(folder);
  return lists.length > 0 || parent === folder ? lists.flat() : nearestNames(parent, files);
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Dependencies in package.json; none if it is not JSON. */
function namesInPackage(text: string): string[] {
  try {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies } = JSON.parse(text) ?? {};
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies });
  } catch {
    return [];
  }
}

/** Dependencies in pyproject.toml: the list of `project`, tables of Poetry, optional dependencies and groups. */
function namesInPyproject(text: string): string[] {
  return text
    .toLowerCase()
    .split(/^\[+/m)
    .flatMap((table) => {
      const [title = ''] = table.split(']', 1);
      if (title === 'project')
        return matchesOf(/["'](\w[\w.-]*)/g, /^dependencies\s*=\s*\[(.*?)\]\s*$/ms.exec(table)?.[1]);
      if (/dependencies$|^dependency-groups$/.test(title))
        return matchesOf(/^\s*(\w[\w.-]*)\s*=|["'](\w[\w.-]*)/gm, table);
      return [];
    });
}

/** Texts of the groups of all matches. */
const matchesOf = (pattern: RegExp, text = '') =>
  Array.from(text.matchAll(pattern), (match) => match.slice(1).find((group) => group !== undefined) ?? '');
