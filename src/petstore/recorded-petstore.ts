import type { RecordedService } from '../traffic-files/address.js';
import { basePath, type OperationName } from './document.js';

/** Description of the Petstore's URLs and operations, by which its requests are found in recorded traffic. */
export const recordedPetstore = { basePath, root: '/pets', operationOf } satisfies RecordedService;

/** Returns the name of the Petstore operation for a method and a path: `listPets` for `GET /pets`. */
export function operationOf(method: string, path: string): OperationName | undefined {
  const read = method === 'GET' || method === 'HEAD';
  if (path === '/pets') return read ? 'listPets' : method === 'POST' ? 'createPet' : undefined;
  return read && /^\/pets\/[^/]+$/.test(path) ? 'getPet' : undefined;
}
