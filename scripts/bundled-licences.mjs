// Part of `npm run build`, after the dashboard: writes the licenses of the packages that the dashboard's bundle
// contains.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'src/dashboard');

/**
 * Packages that the dashboard imports. Includes packages with only types, which are not bundled but do no harm here.
 */
const packages = new Set(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(/^import .*from '((?:@[\w-]+\/)?[\w-]+)/gm),
    ])
    .map(([, name]) => name),
);

const texts = [...packages].sort().map((name) => {
  const {
    version,
    license,
    dependencies = {},
  } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
  if (Object.keys(dependencies).length > 0)
    throw new Error(`Failed to collect licences: expected ${name} to need nothing`);
  const file = readdirSync(join(root, 'node_modules', name)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`Failed to collect licences: expected a licence of ${name}, got none`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(root, 'node_modules', name, file), 'utf8').trim()}\n`;
});
writeFileSync(join(root, 'dist/dashboard/LICENCES.txt'), texts.join('\n\n'));
