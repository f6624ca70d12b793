// Generates the types of the service, src/petstore.d.ts, from the simulator's OpenAPI description.
import { writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { openapi } from 'petstore-sim';

const description = structuredClone(openapi);
writeFileSync(new URL('src/petstore.d.ts', import.meta.url), astToString(await openapiTS(description)));
