// Part of `npm run build`, after the dashboard: writes the licenses of the packages that the dashboard's bundle
// contains.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeBuilt } from './built.mjs';
import { read, readJson, root } from './repository.mjs';

/**
 * Packages that the dashboard imports. Includes packages with only types, which are not bundled but do no harm here.
 */
const packages = new Set(
  readdirSync(join(root, 'src/dashboard'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => [...read(`src/dashboard/${file}`).matchAll(/^import .*from '((?:@[\w-]+\/)?[\w-]+)/gm)])
    .map(([, name]) => name),
);

const texts = [...packages].sort().map((name) => {
  const folder = `node_modules/${name}`;
  const { version, license, dependencies = {} } = readJson(`${folder}/package.json`);
  if (Object.keys(dependencies).length > 0)
    throw new Error(`Failed to collect licences: expected ${name} to need nothing`);
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`Failed to collect licences: expected a licence of ${name}, got none`);
  return `${name} ${version} (${license})\n\n${read(`${folder}/${file}`).trim()}\n`;
});
writeBuilt('dist/dashboard/LICENCES.txt', texts.join('\n\n'));
