/**
 * Server with the same work as petstore-sim, in Express 5. Runs in a folder with express installed: `node express.mjs
 * PORT`
 */
import express from 'express';
import { admit, createPet, failures, findPet, listPets } from './pets-service.mjs';

const app = express();
app.disable('x-powered-by');
app.disable('etag');

app.use((req, res, next) => {
  const admission = admit(req.get('authorization'));
  if (admission === undefined) return res.status(401).json(failures.unauthorized);
  res.set(admission.headers);
  if (!admission.accepted) return res.status(429).json(failures.limited);
  next();
});
app.get('/v1/pets', (req, res) => {
  const found = listPets(req.query.status, req.query.limit);
  if (found) res.json(found);
  else res.status(400).json(failures.invalid);
});
app.get('/v1/pets/:id', (req, res, next) => {
  const pet = findPet(req.params.id);
  if (pet) res.json(pet);
  else next();
});
app.post('/v1/pets', express.json(), (req, res) => {
  const pet = createPet(req.body);
  if (pet) res.status(201).json(pet);
  else res.status(400).json(failures.invalid);
});
app.use((_req, res) => res.status(404).json(failures.notFound));
app.use((error, _req, res, next) => (res.headersSent ? next(error) : res.status(400).json(failures.invalid)));

app.listen(Number(process.argv[2]), '127.0.0.1');
