import type { ServedService } from '../control-api/served-service.js';

/**
 * Imports the module with the control operations of the Petstore only when needed: for a control request, or for a
 * server with a log.
 */
export const loadPetstore = async (): Promise<ServedService> =>
  (await import('../petstore/served-petstore.js')).servedPetstore;
