import type { ServedService } from '../control-api/served-service.js';

/** Loads the Petstore's control operations, which only a server with control requests or a log needs. */
export const loadPetstore = async (): Promise<ServedService> =>
  (await import('../petstore/served-petstore.js')).servedPetstore;
