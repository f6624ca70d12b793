import type { PetStatus } from '../petstore/document.js';
import type { Pet } from '../petstore/pet.js';
import type { Settings } from '../petstore/settings.js';
import { cut, type Issue, issueAt } from '../validation/issue.js';
import { greatestInt64, type Int64, nextInt64 } from '../values/int64.js';
import { isMap } from '../values/plain-data.js';
import type { CheckedScenario, Scenario } from './scenario-schema.js';

/** Makes pets: so many of each status, with names of a locale and ids from `firstId` up, decided by `seed`. */
export type GeneratePets = (
  counts: Readonly<Partial<Record<PetStatus, number | undefined>> & { locale?: string | undefined }>,
  options: {
    seed: number;
    firstId: Int64;
    categories: readonly Int64[];
    /** Called now and then with how many are made, and at the end. */
    onProgress?: (made: number, total: number) => void;
  },
) => Pet[];

/** How many pets may be generated while a server runs: 100,000 take about a tenth of a second, in which nothing is answered. */
export const maximumPetsWhileServing = 100_000;

/** Number of pets that a scenario generates; 0 where it lists them. */
export function generatedPets({ pets }: { pets?: unknown }): number {
  const counts = isMap(pets) && isMap(pets.generate) ? Object.values(pets.generate) : [];
  return counts.reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0);
}

/** Whether a scenario has `pets.generate`, and needs a generator to be resolved. */
export const generatesPets = ({ pets }: Scenario): boolean => isMap(pets) && 'generate' in pets;

/** The pets of a scenario: listed, or made by `generatePets`. */
export function resolvePets(
  { pets = [], ids }: CheckedScenario,
  context: {
    seed: number;
    categories: readonly Int64[];
    settings: Settings;
    generatePets: GeneratePets | undefined;
  },
  issues: Issue[],
): Pet[] {
  const { seed, categories, settings, generatePets } = context;
  const firstId = ids?.start ?? 1;
  if ('file' in pets) {
    issues.push(issueAt(['pets', 'file'], 'expected a list of pets (only a scenario that is a file may name one)'));
    return [];
  }
  if (!Array.isArray(pets)) {
    if (generatePets !== undefined) {
      try {
        return generatePets(pets.generate, { seed, firstId, categories });
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        issues.push(issueAt(['pets', 'generate'], error.message));
        return [];
      }
    }
    issues.push(
      issueAt(
        ['pets', 'generate'],
        'expected a generator: pass { generatePets } from "petstore-sim/seed" to createSimulator',
      ),
    );
    return [];
  }
  const status = settings.defaultStatus === 'absent' ? undefined : settings.defaultStatus;
  const owners = new Map<Int64, number>();
  const take = (id: Int64, index: number) => {
    const owner = owners.get(id);
    if (owner === undefined) owners.set(id, index);
    else {
      const other = `pets[${owner}] (${JSON.stringify(cut(pets[owner]?.name ?? ''))})`;
      issues.push(issueAt(['pets', index, 'id'], `expected a free id, got ${id}, which ${other} has`));
    }
    return id;
  };
  for (const [index, { id }] of pets.entries()) if (id !== undefined) take(id, index);
  let nextId = firstId;
  return pets.map((pet, index) => {
    if (pet.id === undefined) while (nextId !== greatestInt64 && owners.has(nextId)) nextId = nextInt64(nextId);
    const id = pet.id ?? take(nextId, index);
    const { name, categoryId, extra } = pet;
    return { id, name, categoryId, status: pet.status === undefined ? status : (pet.status ?? undefined), extra };
  });
}
