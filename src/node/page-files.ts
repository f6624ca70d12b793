import { join } from 'node:path';
import { packageFolder } from './scenario-files/shipped-scenarios.js';

/** Where `npm run build` puts the page. */
export const pageFolder = () => join(packageFolder(), 'dist/dashboard');
