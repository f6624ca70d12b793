/** Limit of node:http: constant bytes for each URL, from stubs.json. `node limit.mjs PORT` */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const stubs = JSON.parse(readFileSync('stubs.json', 'utf8')).map((stub) => {
  const query = new URLSearchParams(stub.query);
  return { ...stub, url: query.size > 0 ? `${stub.path}?${query}` : stub.path, answer: toAnswer(stub) };
});
const refusal = stubs.find(({ status }) => status === 429);
const created = stubs.find(({ method }) => method === 'POST').answer;
const byUrl = new Map(stubs.filter((stub) => stub !== refusal).map(({ url, answer }) => [url, answer]));

createServer((req, res) => {
  if (req.method === 'POST') send(res, created);
  // rawHeaders exists already; the first access to req.headers would build the object.
  else send(res, req.rawHeaders.includes(refusal.authorization) ? refusal.answer : byUrl.get(req.url));
}).listen(Number(process.argv[2]), '127.0.0.1');

function toAnswer({ status, headers, body }) {
  const bytes = Buffer.from(body);
  return { status, headers: { ...headers, 'Content-Length': bytes.length }, bytes };
}

function send(res, { status, headers, bytes }) {
  res.writeHead(status, headers);
  res.end(bytes);
}
