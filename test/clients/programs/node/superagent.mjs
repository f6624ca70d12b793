import request from 'superagent';
import { patiently } from './patiently.mjs';

const send = ({ url, method, headers, body }) => request(method, url).set(headers).send(body);

export const byDefault = (call) => send(call).retry(2);

// doc: set right
export const setRight = (call) => patiently(call, async () => await send(call).timeout(30_000));
// end
