import axios from 'axios';
import axiosRetry from 'axios-retry';
import { retryDelayMs } from './retry-delay.mjs';

const retryingAxios = axios.create({ proxy: false });
axiosRetry(retryingAxios);
export const byDefault = ({ body: data, ...config }) =>
  retryingAxios.request({ ...config, data });

// doc: set right
const patientAxios = axios.create({ proxy: false, timeout: 30_000 });
/** A response without an error status broke off. */
const delayOf = (count, { config, response }) =>
  retryDelayMs(
    count,
    config.method.toUpperCase(),
    response?.status >= 400 ? response : undefined,
  );
axiosRetry(patientAxios, {
  retries: 4,
  shouldResetTimeout: true,
  retryCondition: (error) =>
    delayOf(error.config['axios-retry'].retryCount + 1, error) !== undefined,
  retryDelay: delayOf,
});
// end
export const setRight = ({ body: data, ...config }) => patientAxios.request({ ...config, data });

// doc: whole
//| import axios from 'axios';
//| import axiosRetry from 'axios-retry';
//| import { retryDelayMs } from './patience.mjs';
//|
//| <set right>
//|
//| const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
//| const url = `${PETSTORE_BASE_URL}/pets`;
//| const headers = { authorization: `Bearer ${PETSTORE_API_KEY}` };
//| await patientAxios.get(url, { headers });
// end
