/**
 * Server with the same work as petstore-sim, as msw handlers behind Express 5. Runs in a folder with express, msw and
 * http-middleware installed: `node express-msw.mjs PORT`
 */
import { createMiddleware } from '@mswjs/http-middleware';
import express from 'express';
import { HttpResponse, http } from 'msw';
import { admit, createPet, failures, findPet, listPets } from './pets-service.mjs';

/** Creates an msw resolver that checks the key, counts the request against its limits, then runs the operation. */
const guarded = (operation) => async (info) => {
  const admission = admit(info.request.headers.get('authorization') ?? undefined);
  if (admission === undefined) return HttpResponse.json(failures.unauthorized, { status: 401 });
  const { accepted, headers } = admission;
  if (!accepted) return HttpResponse.json(failures.limited, { status: 429, headers });
  const [status, body] = await operation(info);
  return HttpResponse.json(body, { status, headers });
};

const list = http.get(
  '/v1/pets',
  guarded(({ request }) => {
    const query = new URL(request.url).searchParams;
    const found = listPets(query.get('status'), query.get('limit'));
    return found ? [200, found] : [400, failures.invalid];
  }),
);
const single = http.get(
  '/v1/pets/:id',
  guarded(({ params }) => {
    const pet = findPet(params.id);
    return pet ? [200, pet] : [404, failures.notFound];
  }),
);
const create = http.post(
  '/v1/pets',
  guarded(async ({ request }) => {
    const pet = createPet(await request.json().catch(() => undefined));
    return pet ? [201, pet] : [400, failures.invalid];
  }),
);

const app = express();
app.disable('x-powered-by');
app.use(createMiddleware(list, single, create));
app.use((_req, res) => res.status(404).json(failures.notFound));
app.listen(Number(process.argv[2]), '127.0.0.1');
