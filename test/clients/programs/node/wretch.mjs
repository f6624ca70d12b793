import wretch from 'wretch';
import { retry } from 'wretch/middlewares';
import { patientFetch } from './patiently.mjs';

const sendWith =
  (middleware) =>
  ({ url, method, ...init }) =>
    wretch(url, init).middlewares([middleware]).fetch(method).res();

export const byDefault = sendWith(retry());

// doc: set right
const patience = () => patientFetch;
// wretch(url).middlewares([patience])
// end
export const setRight = sendWith(patience);
