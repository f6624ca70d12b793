import type { LocaleDefinition } from '@faker-js/faker';
import { petStatuses } from '../petstore/document.js';
import { hintFor } from '../validation/nearest.js';
import { greatestInt64, nextInt64 } from '../values/int64.js';
import { seededFraction, seedFor } from '../values/seeded-random.js';
import { loadFaker } from './load-faker.js';
import type { GeneratePets } from './resolve-pets.js';

/** The categories to draw from when the scenario lists none: those of the default scenario. */
const defaultCategories = [1, 2, 3, 4, 5];

/** The first names of a locale: `first_name` has lists for women, men and both. */
const firstNames = ({ person }: LocaleDefinition): string[] => [
  ...new Set(Object.values(person?.first_name ?? {}).flatMap((names) => names ?? [])),
];

/**
 * The definitions of a locale, of its language, of English and of all locales: faker has no Canadian first names, for example.
 * @throws {RangeError} for a name that is no locale of faker
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

/** Locales of the names that `mixed` draws: eleven scripts, of which three are written from right to left. */
const mixedLocales = ['en', 'ar', 'de', 'el', 'fa', 'he', 'hy', 'ja', 'ka_GE', 'ko', 'ru', 'th', 'vi', 'zh_CN'];

/** Changes of every second name of `mixed` that pages and databases often get wrong. */
const unusualForms: readonly ((name: string) => string)[] = [
  // Letters and their accents as separate code points, and one accent more.
  (name) => `${name}\u0301`.normalize('NFD'),
  // One character of seven code points.
  (name) => `${name} \u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}`,
  (name) => `${name} \u{1f436}`,
  (name) => Array.from({ length: 40 }, () => name).join('-'),
];

/** After how many pets `onProgress` is called again. */
const progressEvery = 4_096;

/**
 * Makes pets for scenarios with `pets.generate`; 100,000 take a tenth of a second.
 * The counts are exact, the statuses are shuffled, and `seed` decides every value. Names are first names that faker has for
 * `locale`, English by default; `mixed` draws from several scripts, with emoji, combining marks and very long names.
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

  /** Draws the status of one of the pets that are left, each with the same chance, so that every count comes out exact. */
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

/** Draws whole numbers, each from 0 up to, not including, a bound. */
function createDraw(seed: number): (bound: number) => number {
  let drawn = 0;
  return (bound) => Math.floor(seededFraction(seed, drawn++) * bound);
}
