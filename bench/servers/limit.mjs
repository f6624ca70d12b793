/** Fastest possible server on node:http: sends constant bytes for every request. `node limit.mjs PORT` */
import { createServer } from 'node:http';
import { createdPet, firstPets, rateHeaders, refusedBody, refusedHeaders, spentKey } from './pets-data.mjs';

const list = answer(200, rateHeaders, firstPets);
const created = answer(201, rateHeaders, createdPet);
const refused = answer(429, refusedHeaders, refusedBody);
const spent = `Bearer ${spentKey}`;

createServer((req, res) => {
  if (req.method === 'POST') send(res, created);
  // Reads rawHeaders, because the first access to req.headers would build an object.
  else send(res, req.rawHeaders.includes(spent) ? refused : list);
}).listen(Number(process.argv[2]), '127.0.0.1');

function answer(status, headers, value) {
  const body = Buffer.from(JSON.stringify(value));
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...headers, 'Content-Length': body.length },
    body,
  };
}

function send(res, { status, headers, body }) {
  res.writeHead(status, headers);
  res.end(body);
}
