import ky from 'ky';
import { patientFetch } from './patiently.mjs';

export const byDefault = ({ url, ...init }) => ky(url, init);

// doc: set right
const patientKy = ky.extend({ fetch: patientFetch, retry: 0, timeout: false });
// end
export const setRight = ({ url, ...init }) => patientKy(url, init);

// doc: whole
//| import ky from 'ky';
//| import { patientFetch } from './patience.mjs';
//|
//| <set right>
//|
//| const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
//| const url = `${PETSTORE_BASE_URL}/pets`;
//| const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` };
//| await patientKy(url, { headers });
// end
