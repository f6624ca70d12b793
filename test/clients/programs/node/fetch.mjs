import { patientFetch } from './patiently.mjs';

export const byDefault = ({ url, ...init }) => fetch(url, init);

// doc: set right
export const setRight = ({ url, ...init }) => patientFetch(url, init);
// end
