import axios from 'axios';
import axiosRetry from 'axios-retry';
import { askedWaitMs, isWorthWaiting } from './asked-wait.mjs';

const retryingAxios = axios.create({ proxy: false });
axiosRetry(retryingAxios);
export const byDefault = ({ body: data, ...config }) => retryingAxios.request({ ...config, data });

// doc: set right
const patientAxios = axios.create({ proxy: false });
axiosRetry(patientAxios, {
  retries: 4,
  retryCondition: ({ response }) => isWorthWaiting(response),
  retryDelay: (_count, { response }) => askedWaitMs(response.headers),
});
// end
export const setRight = ({ body: data, ...config }) => patientAxios.request({ ...config, data });
