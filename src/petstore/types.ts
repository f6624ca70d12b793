import type { limitSettings, ValuesOf } from '../rate-limits/settings.js';
import type { Schema } from '../validation/schema.js';
import type { Int64 } from '../values/int64.js';
import type { Pet, StoredPet } from './pet.js';
import type { Pets } from './pets.js';
import type { GeneratePets } from './resolve-pets.js';
import type { petConditions, petFields } from './scenario-fields.js';
import type { settingValues } from './settings.js';

// Adds the Petstore API's fields to general types such as `Settings`. Every entry file of the package imports this
// file, so that the published types contain these fields.

type PetSettings = ValuesOf<
  Omit<typeof settingValues, keyof typeof limitSettings | 'errorCodes' | 'cors' | 'unknownMethod'>
>;
type PetFields = typeof petFields;
type PetConditions = typeof petConditions;

declare module '../scenario/settings.js' {
  interface Settings extends PetSettings {}
}

declare module '../scenario/service-schema.js' {
  interface ServiceFields extends PetFields {}
  interface ServiceConditions extends PetConditions {}
  interface ServiceContent {
    idStart: Int64 | undefined;
    categories: ReadonlySet<Int64>;
    pets: readonly StoredPet[];
  }
}

declare module '../scenario/scenario-rules.js' {
  interface ResolveOptions {
    /**
     * The function `generatePets` of `petstore-sim/seed`. Required only for a scenario with the field `pets.generate`.
     */
    generatePets?: GeneratePets | undefined;
  }
}

declare module '../control-api/state-schema.js' {
  interface ServiceStateFields {
    pets: Schema<Pet[]>;
    nextId: Schema<Int64>;
  }
  interface ServiceCounts {
    pets: Schema<number>;
  }
}

declare module '../simulator/simulator-state.js' {
  interface ServiceProperties {
    readonly pets: Pets;
  }
}
