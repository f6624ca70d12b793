import request from 'superagent';
import { patiently } from './patiently.mjs';

const send = ({ url, method, headers, body }) => request(method, url).set(headers).send(body);

export const byDefault = (call) => send(call).retry(2);

export const setRight = (call) => patiently(call, async () => await send(call).timeout(30_000));

// doc: whole
//| import request from 'superagent';
//| import { patiently } from './patience.mjs';
//|
//| const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
//| const url = `${PETSTORE_BASE_URL}/pets`;
//| const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` };
//| const send = async () => await request('GET', url).set(headers).timeout(30_000);
//| await patiently({ method: 'GET' }, send);
// end
