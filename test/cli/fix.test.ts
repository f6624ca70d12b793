import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorOf, clientSettings } from '../../src/judge/client-settings.js';
import { runCommandLine } from '../support/command-here.js';
import { newFolder } from '../support/new-folder.js';

const libraries = Object.values(clientSettings).map(({ name, page }) => [anchorOf(name), page] as const);

/** The files that a page of docs/clients asks to save for a library. */
const filesOf = async (name: string): Promise<Record<string, string>> =>
  JSON.parse((await runCommandLine(['fix', '--json', name])).out).files;

describe('petstore-sim fix NAME', () => {
  test.each(libraries)('%s: prints the shared functions and the code of its page', async (name, page) => {
    const text = readFileSync(join(import.meta.dirname, `../../docs/clients/${page}.md`), 'utf8');
    const { out, code } = await runCommandLine(['fix', name]);
    expect(code).toBe(0);
    const files = Object.entries(await filesOf(name));
    expect(files).toHaveLength(2);
    for (const [file, source] of files) {
      expect(file).toMatch(/^\w+\.\w+$/);
      expect(source.split('\n').length).toBeGreaterThan(5);
      expect(text).toContain(`\n${source}\`\`\`\n`);
      expect(out).toContain(`\n${source}\`\`\`\n`);
      expect(out).toContain(`\`${file}\``);
    }
    const [, [, own = ''] = []] = files;
    const [, section = ''] =
      text
        .split(/^## /m)
        .map((each) => [anchorOf(each.split('\n')[0] ?? ''), each])
        .find(([anchor]) => anchor === name) ?? [];
    expect(section).toContain(own);
  });

  test('its code, saved as it says, passes', { tags: 'slow' }, async () => {
    const folder = newFolder();
    for (const [file, text] of Object.entries(await filesOf('fetch'))) writeFileSync(join(folder, file), text);
    const usedUp = ['--set', 'windows.minute=2s', '--set', 'keys.free-key.usage.minute=60'];
    const run = ['exec', ...usedUp, '--', process.execPath, 'client.mjs'];
    expect(await runCommandLine(run, { cwd: folder })).toMatchObject({
      code: 0,
      err: expect.stringContaining('PASS'),
    });
  });

  test('wraps prose, and neither code nor tables', async () => {
    const { out } = await runCommandLine(['fix', 'got']);
    const prose = out.replace(/^```.*?^```$/gms, '').split('\n');
    expect(prose.filter((line) => line.length > 80 && !line.startsWith('|'))).toEqual([]);
    expect(prose.filter((line) => line.startsWith('| Wait'))).toHaveLength(1);
  });

  test('finds a library by the start of a word in its name, and lists those that have it', async () => {
    const { out } = await runCommandLine(['fix', 'axios-with-axios-retry']);
    expect((await runCommandLine(['fix', 'axios'])).out).toBe(out);
    const { code, err } = await runCommandLine(['fix', 'go-']);
    expect([code, err]).toEqual([2, expect.stringContaining('did you mean go-nethttp, go-retryablehttp?')]);
  });

  test('names the nearest library, or the command that lists them', async () => {
    expect((await runCommandLine(['fix', 'ofecht'])).err).toContain('got "ofecht"; did you mean ofetch?');
    expect((await runCommandLine(['fix', 'something-else'])).err).toContain(' fix lists them');
  });

  test('without a name lists all', async () => {
    const { out } = await runCommandLine(['fix']);
    const words = out.split(/[\s,]+/);
    expect(libraries.filter(([name]) => !words.includes(name))).toEqual([]);
    const { libraries: listed } = JSON.parse((await runCommandLine(['fix', '--json'])).out);
    expect(listed).toEqual(libraries.map(([name]) => name));
  });
});
