// Written by scripts/generate.mjs from fixtures/; change those.
import type { Scenario } from '../scenario/scenario-schema.js';
import { deepFreeze } from '../values/plain-data.js';
import type { PetStatus } from './document.js';

/** Name, category and status of each pet, with ids from 1. Compact, because pages download the module. */
const pets = `Rex 1 available
Milo 2 available
Luna 2 pending
Bella 1 sold
Charlie 1 available
Daisy 4 available
Rocky 1 pending
Zoë 2 available
Coco 3 available
Oscar 2 sold
Nala 2 available
Bruno 1 available
Kiwi 3 pending
Shadow 2 available
Ruby 1 available
Hazel 4 available
Otto 1 sold
Smilla 2 available
Pépin 4 pending
Ziggy 5 available
Maple 4 available
Simba 2 sold
Ginger 2 available
Skipper 3 available
Åse 2 pending
Biscuit 1 available
Clover 4 sold
Juno 1 available
小梅 2 available
Pixel 5 pending
Freya 1 available
Rio 3 available
Poppy 4 pending
Tango 3 sold
Willow 2 available
Koda 1 available
Mocha 4 pending
Sunny 3 available
Spike 5 sold
Olive 2 available`;

/** Default scenario, the base of every scenario. */
export const defaultScenario = deepFreeze({
  name: 'default',
  description: 'Forty pets over the three statuses, one key for each plan and a revoked one. Limits and bans as documented, the clock is the machine’s own.',
  categories: [1,2,3,4,5],
  keys: {"free-key":{"plan":"free"},"pro-key":{"plan":"pro"},"business-key":{"plan":"business"},"enterprise-key":{"plan":"enterprise"},"revoked-key":{"plan":"free","state":"revoked"}},
  pets: pets.split('\n').map((pet, index) => {
    const [name = '', categoryId, status] = pet.split(' ');
    return { id: index + 1, name, categoryId: Number(categoryId), status: status as PetStatus };
  }),
} as const satisfies Scenario);
