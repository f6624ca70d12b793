import { recordedSandboxes } from '../../src/persistence/node/recording-engine.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { generatePets } from '../../src/seed.js';

/** Options with which a run is recorded, and replayed on other versions of Node. */
export const replayOptions = {
  service: servedPetstore,
  generatePets,
  onError: () => {},
  onWarning: () => {},
  sandboxes: recordedSandboxes,
};
