import { generatePets } from '../../src/entries/seed.js';
import { recordedSandboxes } from '../../src/persistence/node/recording-engine.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';

/** Options with which a run is recorded, and replayed on other versions of Node. */
export const replayOptions = {
  service: servedPetstore,
  generatePets,
  onError: () => {},
  onWarning: () => {},
  sandboxes: recordedSandboxes,
};
