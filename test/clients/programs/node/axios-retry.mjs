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
