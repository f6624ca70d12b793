// Part of `npm run build`, after tsc and build-javascript.mjs: leaves the declarations of the public entries in
// dist/types, for ES modules (.d.ts) and for CommonJS (.d.cts). docs/architecture.md describes why both are needed.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { built, readBuilt } from './built.mjs';
import { readJson } from './repository.mjs';

const folder = join(built, 'dist/types');
const entries = Object.values(readJson('package.json').exports);

const asImported = "with { 'resolution-mode': 'import' }";

// In a JSON module, TypeScript widens string literals to `string`, which a scenario does not accept.
const writeScenario = (ending, attributes, exported) =>
  writeFileSync(
    join(folder, `shipped-scenario.${ending}`),
    `import type { Scenario } from './entries/index.js'${attributes};\ndeclare const scenario: Scenario;\nexport ${exported} scenario;\n`,
  );
writeScenario('d.ts', '', 'default');
writeScenario('d.cts', ` ${asImported}`, '=');

/** Statements of every declaration file, by path. */
const files = new Map();
for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  const path = join(folder, name);
  if (name.endsWith('.d.ts')) files.set(path, statementsOf(path));
}

/** Declaration file of a module that a file imports. */
function declarationsOf(path, imported) {
  return join(dirname(path), imported).replace(/\.js$/, '.d.ts');
}

/** Statements with their comments, declared names, and lists of imported or re-exported names. */
function statementsOf(path) {
  const text = readFileSync(path, 'utf8');
  let end = 0;
  return parseSync(path, text, { lang: 'dts' }).program.body.map((node) => {
    const { declaration = node, specifiers = [], source } = node;
    const declared =
      declaration?.declarations?.[0].id.name ?? (declaration?.global ? undefined : declaration?.id?.name);
    const links = specifiers.map(({ start, end, local, exported = local, imported = local }) => ({
      name: exported.name,
      of: imported.name,
      text: text.slice(start, end),
    }));
    const statement = {
      comment: text.slice(end, node.start).trim(),
      text: text.slice(end, node.end).trim(),
      node,
      declared,
      links,
      from: source && declarationsOf(path, source.value),
    };
    end = node.end;
    return { ...statement, isUsed: false, usedLinks: new Set() };
  });
}

/** Marks a name of a file, and everything that its declaration refers to. */
function use(path, name) {
  const statements = files.get(path) ?? [];
  for (const statement of statements) {
    const link = statement.links.find((each) => each.name === name);
    if (link !== undefined && !statement.usedLinks.has(link)) {
      statement.usedLinks.add(link);
      useStatement(path, statement);
      use(statement.from, link.of);
    } else if (statement.declared === name) useStatement(path, statement);
  }
  useUnnamed(path);
}

/** Marks statements without a name, such as `declare global`, which belong to every other of the file. */
function useUnnamed(path) {
  for (const statement of files.get(path) ?? []) {
    if (statement.declared === undefined && statement.links.length === 0) useStatement(path, statement);
  }
}

function useStatement(path, statement) {
  if (statement.isUsed) return;
  statement.isUsed = true;
  if (statement.links.length > 0) return;
  useIn(path, statement.node);
  // An import for declarations that extend those of other modules.
  if (statement.from) useUnnamed(statement.from);
}

/** Marks every identifier in a syntax tree: a name that is no reference does no harm. */
function useIn(path, node) {
  if (typeof node !== 'object' || node === null) return;
  if (node.type === 'TSImportType') use(declarationsOf(path, node.source.value), node.qualifier.name);
  if (node.type === 'Identifier') use(path, node.name);
  // An extension of a module, whose declarations it names.
  if (node.type === 'TSModuleDeclaration' && node.id.value?.startsWith('.')) {
    const extended = declarationsOf(path, node.id.value);
    for (const { id } of node.body.body) use(extended, id?.name);
  }
  for (const part of Object.values(node)) useIn(path, part);
}

const dual = entries.filter((entry) => entry.require !== undefined);
const entryFiles = entries.flatMap(({ types }) => (types === undefined ? [] : [join(built, types.default ?? types)]));
for (const path of entryFiles) {
  for (const { declared, links } of files.get(path))
    for (const name of [declared, ...links.map((link) => link.name)]) use(path, name);
}

/** Texts of the used declarations, by path. */
const texts = new Map();
for (const [path, statements] of files) {
  const used = statements.filter(({ isUsed }) => isUsed);
  const text = used.map(withUsedLinks).join('\n');
  if (used.length === 0) rmSync(path);
  else {
    writeFileSync(path, `${text}\n`);
    texts.set(path, text);
  }
}

function withUsedLinks({ text, links, usedLinks }) {
  if (links.length === 0) return text;
  const names = [...usedLinks].map((link) => link.text).join(', ');
  return text.replace(/\{[^}]*\}/, () => `{ ${names} }`);
}

/** Declaration files that a file imports. */
const importsIn = (path) => files.get(path).flatMap(({ from, isUsed }) => (from && isUsed ? [from] : []));

// The classes of msw have other types for a CommonJS file. Files that name them have a CommonJS copy, and so have entries
// that re-export them.
const copied = new Set([...texts].filter(([, text]) => text.includes("from 'msw'")).map(([path]) => path));
const inCommonJs = (path) => path.replace(/\.d\.ts$/, '.d.cts');
for (const { types } of dual) {
  const path = join(built, types.default);
  if (importsIn(path).some((target) => copied.has(target))) copied.add(path);
  else writeFileSync(inCommonJs(path), wrapper(path));
}
for (const path of copied) writeFileSync(inCommonJs(path), copy(path));

/** Copy of a file that imports other copies, and only the types of everything else. */
function copy(path) {
  return texts
    .get(path)
    .replace(/^import '(\..+)\.js';/gm, `import type {} from '$1.js' ${asImported};`)
    .replace(/^(import|export) (?:type )?(\{[^}]*\}) from '(\.[^']+)\.js';/gm, (_, word, names, from) =>
      copied.has(join(dirname(path), `${from}.d.ts`))
        ? `${word} ${names} from '${from}.cjs';`
        : `${word} type ${names.replaceAll('type ', '')} from '${from}.js' ${asImported};`,
    );
}

/**
 * Declaration of an entry for CommonJS: the names and types of the ES module. `export *` of the values would be an error,
 * because TypeScript lets a CommonJS file load an ES module only since `module: nodenext` of TypeScript 5.8.
 */
function wrapper(path) {
  const from = `'./${basename(path, '.d.ts')}.js' ${asImported}`;
  const declared = [path, ...importsIn(path)].flatMap((each) => files.get(each) ?? []);
  const [, values] = /^export \{([^}]*)\}/m.exec(readBuilt(`dist/${basename(path, '.d.ts')}.js`));
  const lines = values.split(',').map((value) => {
    const name = value.trim();
    const { comment = '', node } = declared.find((each) => each.declared === name) ?? {};
    const type = node?.declaration.type === 'ClassDeclaration' ? `export type ${name} = esm.${name};\n` : '';
    return `${comment}\nexport declare const ${name}: typeof esm.${name};\n${type}`;
  });
  return `import type * as esm from ${from};\nexport type * from ${from};\n${lines.join('')}`;
}
