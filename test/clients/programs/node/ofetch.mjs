import { ofetch } from 'ofetch';
import { patientFetch } from './patiently.mjs';

export const byDefault = ({ url, ...init }) => ofetch(url, init);

// doc: set right
const patientOfetch = ofetch.create({ retry: false }, { fetch: patientFetch });
// end
export const setRight = ({ url, ...init }) => patientOfetch(url, init);

// doc: whole
//| import { ofetch } from 'ofetch';
//| import { patientFetch } from './patience.mjs';
//|
//| <set right>
//|
//| const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
//| const url = `${PETSTORE_BASE_URL}/pets`;
//| const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` };
//| await patientOfetch(url, { headers });
// end
