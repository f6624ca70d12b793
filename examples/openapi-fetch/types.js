// Writes src/petstore.d.ts: the types of the service, from the description that the simulator has of it.
import { writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { openapi } from 'petstore-sim';

const description = structuredClone(openapi);
writeFileSync(new URL('src/petstore.d.ts', import.meta.url), astToString(await openapiTS(description)));
