import type { LocaleDefinition } from '@faker-js/faker';
import { hintFor } from '../validation/nearest.js';
import { greatestInt64, nextInt64 } from '../values/int64.js';
import { seededFraction, seedFor } from '../values/seeded-random.js';
import { petStatuses } from './document.js';
import { loadFaker } from './load-faker.js';
import type { GeneratePets } from './resolve-pets.js';

/** Category ids of generated pets if the scenario has no categories. Equal to the default scenario's categories. */
const defaultCategories = [1, 2, 3, 4, 5];

/** Returns the first names in a faker locale. Faker's `first_name` has separate lists for women, men and both. */
const firstNames = ({ person }: LocaleDefinition): string[] => [
  ...new Set(Object.values(person?.first_name ?? {}).flatMap((names) => names ?? [])),
];

/**
 * Returns faker's definitions of a locale, followed by fallbacks: the locale's language, English and faker's `base`.
 * For example, faker has no Canadian first names.
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

/**
 * Locales of generated pet names if the scenario's locale is `mixed`. The locales use eleven scripts, three
 * right-to-left.
 */
const mixedLocales = ['en', 'ar', 'de', 'el', 'fa', 'he', 'hy', 'ja', 'ka_GE', 'ko', 'ru', 'th', 'vi', 'zh_CN'];

/** Functions that change generated pet names into forms that web pages and databases often handle incorrectly. */
const unusualForms: readonly ((name: string) => string)[] = [
  // Adds an accent to the pet name and separates letters from accents (NFD), because programs often handle such names
  // incorrectly.
  (name) => `${name}\u0301`.normalize('NFD'),
  // Appends to a generated pet's name an emoji of seven code points that looks like one character.
  (name) => `${name} \u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}`,
  (name) => `${name} \u{1f436}`,
  (name) => Array.from({ length: 40 }, () => name).join('-'),
];

/** Number of generated pets between two calls of `onProgress`. */
const progressEvery = 4_096;

/**
 * Generates the pets of scenarios with `pets.generate`; 100,000 pets take a tenth of a second. The number of pets per
 * status is exact, statuses are shuffled, and equal seeds generate equal pets. Names are faker's first names of
 * `locale` (default: English). The locale `mixed` generates names in several scripts, with emoji, combining marks and
 * great length.
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

  /**
   * Draws the status of the next generated pet. Its probability is its share of the pets that are still to be
   * generated, so that the number of pets per status is exact.
   */
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

/** Creates a seeded generator of random whole numbers, from 0 to below a bound. */
function createDraw(seed: number): (bound: number) => number {
  let drawn = 0;
  return (bound) => Math.floor(seededFraction(seed, drawn++) * bound);
}
