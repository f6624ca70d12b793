import ky from 'ky';
import { patientFetch } from './patiently.mjs';

export const byDefault = ({ url, ...init }) => ky(url, init);

// doc: set right
const patientKy = ky.extend({ fetch: patientFetch, retry: 0, timeout: false });
// end
export const setRight = ({ url, ...init }) => patientKy(url, init);
