import type { Reporter } from 'vitest/node';
import { pluralize } from '../../src/values/pluralize.js';
import { installCommand } from './programs.js';

/**
 * Ends a run with the files whose tests were skipped for a missing program, and with one command that installs all of
 * the programs. With CI=true such a test fails the run.
 * @param missing names of the programs that this machine lacks
 */
export const missingProgramsReporter = (missing: readonly string[]): Reporter => ({
  onTestRunEnd(modules) {
    const needed = new Set<string>();
    const lines = [];
    let count = 0;
    for (const module of modules) {
      const skipped = [...module.children.allTests('skipped')];
      const names = missing.filter((name) => skipped.some(({ tags }) => tags.includes(`needs/${name}`)));
      const own = skipped.filter(({ tags }) => names.some((name) => tags.includes(`needs/${name}`)));
      if (own.length === 0) continue;
      for (const name of names) needed.add(name);
      count += own.length;
      lines.push(`  ${module.relativeModuleId}: ${pluralize(own.length, 'test')} with ${names.join(', ')}`);
    }
    if (count === 0) return;
    console.log(`\nNot tried, because this machine lacks a program:\n${lines.join('\n')}`);
    console.log(
      `\n${pluralize(count, 'test')} not tried. This installs all that they need: ${installCommand([...needed])}\n`,
    );
    if (process.env.CI === 'true') process.exitCode = 1;
  },
});
