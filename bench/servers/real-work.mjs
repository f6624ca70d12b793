/** Server with the same work as petstore-sim, on plain node:http without further features. `node real-work.mjs PORT` */
import { createServer } from 'node:http';
import { admit, createPet, failures, findPet, listPets } from './pets-service.mjs';

createServer((req, res) => {
  const admission = admit(req.headers.authorization);
  if (admission === undefined) return send(res, 401, {}, failures.unauthorized);
  const { accepted, headers } = admission;
  if (!accepted) return send(res, 429, headers, failures.limited);

  const mark = req.url.indexOf('?');
  const path = mark === -1 ? req.url : req.url.slice(0, mark);
  if (path !== '/v1/pets') {
    const pet = req.method === 'GET' && path.startsWith('/v1/pets/') ? findPet(path.slice(9)) : undefined;
    return pet ? send(res, 200, headers, pet) : send(res, 404, headers, failures.notFound);
  }
  if (req.method === 'GET') {
    const query = new URLSearchParams(mark === -1 ? '' : req.url.slice(mark + 1));
    const found = listPets(query.get('status'), query.get('limit'));
    return found ? send(res, 200, headers, found) : send(res, 400, headers, failures.invalid);
  }
  if (req.method !== 'POST') return send(res, 404, headers, failures.notFound);
  let text = '';
  req.setEncoding('utf8');
  req.on('data', (chunk) => {
    text += chunk;
  });
  req.on('end', () => {
    const pet = createPet(parse(text));
    if (pet) send(res, 201, headers, pet);
    else send(res, 400, headers, failures.invalid);
  });
}).listen(Number(process.argv[2]), '127.0.0.1');

function send(res, status, headers, value) {
  const body = JSON.stringify(value);
  res.writeHead(status, {
    'Content-Type': 'application/json',
    ...headers,
    'Content-Length': Buffer.byteLength(body),
  });
  res.end(body);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
