import type { FaultRequest } from '../faults/fault-rules.js';
import type { Route } from '../petstore/routes.js';
import type { ApiKey } from '../rate-limits/api-key.js';
import type { ApiCall } from '../requests/api-call.js';
import { parseInt64 } from '../values/int64.js';

/** What the fault rules look at of a call that leads to an operation. */
export const faultRequest = (call: ApiCall, { key, plan }: ApiKey, { operation, petId }: Route): FaultRequest => ({
  operation: operation ?? '',
  method: call.method,
  key,
  plan,
  status: operation === 'listPets' ? new URLSearchParams(call.query).get('status') : null,
  petId: parseInt64(petId),
  callText: () => `${key} ${call.method} ${call.path}?${call.query} ${new TextDecoder().decode(call.body)}`,
});
