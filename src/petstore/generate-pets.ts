import type { LocaleDefinition } from '@faker-js/faker';
import { hintFor } from '../validation/nearest.js';
import { greatestInt64, nextInt64 } from '../values/int64.js';
import { seededFraction, seedFor } from '../values/seeded-random.js';
import { petStatuses } from './document.js';
import { loadFaker } from './load-faker.js';
import type { GeneratePets } from './resolve-pets.js';

/** Categories of generated pets if the scenario has none: those of the default scenario. */
const defaultCategories = [1, 2, 3, 4, 5];

/** First names of a locale. `first_name` has separate lists for women, men and both. */
const firstNames = ({ person }: LocaleDefinition): string[] => [
  ...new Set(Object.values(person?.first_name ?? {}).flatMap((names) => names ?? [])),
];

/**
 * Faker definitions of a locale, with its language, English and all locales as fallbacks. For example, faker has no
 * Canadian first names.
 * @throws {RangeError} for an unknown locale
 */
export function localeChain(locale: string): LocaleDefinition[] {
  const { allLocales } = loadFaker();
  const known = Object.keys(allLocales).filter((name) => name !== 'base');
  if (!known.includes(locale)) {
    throw new RangeError(
      `expected a locale of faker, such as en, ja or pt_BR, got ${JSON.stringify(locale)}${hintFor(locale, known)}`,
    );
  }
  const [language = ''] = locale.split('_');
  return [...new Set([locale, language, 'en', 'base'])]
    .filter((name) => Object.hasOwn(allLocales, name))
    .map((name) => allLocales[name as keyof typeof allLocales]);
}

const namesOf = (locale: string): readonly string[] =>
  localeChain(locale)
    .map(firstNames)
    .find(({ length }) => length > 0) ?? [];

/** Locales of `mixed` names, with eleven scripts, three of them right-to-left. */
const mixedLocales = ['en', 'ar', 'de', 'el', 'fa', 'he', 'hy', 'ja', 'ka_GE', 'ko', 'ru', 'th', 'vi', 'zh_CN'];

/** Changes to every second `mixed` name, in forms that pages and databases often handle incorrectly. */
const unusualForms: readonly ((name: string) => string)[] = [
  // Letters and accents as separate code points, plus one accent.
  (name) => `${name}\u0301`.normalize('NFD'),
  // One character with seven code points.
  (name) => `${name} \u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}`,
  (name) => `${name} \u{1f436}`,
  (name) => Array.from({ length: 40 }, () => name).join('-'),
];

/** Number of pets between calls of `onProgress`. */
const progressEvery = 4_096;

/**
 * Generates pets for scenarios with `pets.generate`; 100,000 take a tenth of a second. Counts are exact and statuses
 * shuffled; `seed` determines every value. Names are first names of `locale` from faker, English by default; `mixed`
 * has several scripts, emoji, combining marks and very long names.
 * @throws {RangeError} for more pets than ids from `firstId` up, and for an unknown locale
 * @example
 * import { createSimulator } from 'petstore-sim';
 * import { generatePets } from 'petstore-sim/seed';
 *
 * const scenario = { seed: 7, pets: { generate: { available: 900, pending: 80, sold: 20 } } };
 * const sim = createSimulator({ scenario, generatePets });
 */
export const generatePets: GeneratePets = (counts, { seed, firstId, categories, onProgress }) => {
  const drawBelow = createDraw(seedFor('pets', seed));
  const choices = categories.length > 0 ? categories : defaultCategories;
  const left = petStatuses.map((status) => ({ status, count: counts[status] ?? 0 }));
  const total = left.reduce((sum, { count }) => sum + count, 0);
  if (BigInt(firstId) + BigInt(total) - 1n > greatestInt64) {
    throw new RangeError(`expected ids for ${total} pets from ${firstId} on, got none after ${greatestInt64}`);
  }

  /** Draws a status from the remaining pets with equal probability, so that every count is exact. */
  const drawStatus = (made: number) => {
    let position = drawBelow(total - made);
    const drawn = left.find(({ count }) => {
      position -= count;
      return position < 0;
    }) as (typeof left)[number];
    drawn.count--;
    return drawn.status;
  };
  const drawFrom = <Item>(items: readonly Item[]) => items[drawBelow(items.length)] as Item;
  const drawName = total === 0 ? () => '' : nameDraw(counts.locale ?? 'en', drawFrom);

  let nextId = firstId;
  const pets = Array.from({ length: total }, (_, made) => {
    if (made % progressEvery === 0) onProgress?.(made, total);
    const id = nextId;
    nextId = nextInt64(id);
    return { id, name: drawName(), categoryId: drawFrom(choices), status: drawStatus(made) };
  });
  onProgress?.(total, total);
  return pets;
};

function nameDraw(locale: string, drawFrom: <Item>(items: readonly Item[]) => Item): () => string {
  if (locale !== 'mixed') {
    const names = namesOf(locale);
    return () => drawFrom(names);
  }
  const lists = mixedLocales.map(namesOf);
  const forms = [...unusualForms, ...unusualForms.map(() => (name: string) => name)];
  return () => drawFrom(forms)(drawFrom(drawFrom(lists)));
}

/** Creates a generator of whole numbers from 0 to a bound (exclusive). */
function createDraw(seed: number): (bound: number) => number {
  let drawn = 0;
  return (bound) => Math.floor(seededFraction(seed, drawn++) * bound);
}
