import { ofetch } from 'ofetch';
import { patientFetch } from './patiently.mjs';

export const byDefault = ({ url, ...init }) => ofetch(url, init);

// doc: set right
const patientOfetch = ofetch.create({ retry: false }, { fetch: patientFetch });
// end
export const setRight = ({ url, ...init }) => patientOfetch(url, init);
