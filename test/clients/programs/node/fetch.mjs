import { patientFetch } from './patiently.mjs';

export const byDefault = ({ url, ...init }) => fetch(url, init);

export const setRight = ({ url, ...init }) => patientFetch(url, init);

// doc: whole
//| import { patientFetch } from './patience.mjs';
//|
//| const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
//| const url = `${PETSTORE_BASE_URL}/pets`;
//| const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` };
//| const response = await patientFetch(url, { headers });
//| if (!response.ok) throw new Error(`the service answered ${response.status}`);
// end
