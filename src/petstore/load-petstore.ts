import type { ServedService } from '../control-api/served-service.js';

/** Imports the module with the control operations of the Petstore when these operations are first needed. */
export const loadPetstore = async (): Promise<ServedService> => (await import('./served-petstore.js')).servedPetstore;
