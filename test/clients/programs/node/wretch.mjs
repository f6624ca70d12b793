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
// end
export const setRight = sendWith(patience);

// doc: whole
//| import wretch from 'wretch';
//| import { patientFetch } from './patience.mjs';
//|
//| <set right>
//|
//| const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
//| const url = `${PETSTORE_BASE_URL}/pets`;
//| const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` };
//| await wretch(url, { headers }).middlewares([patience]).get().res();
// end
