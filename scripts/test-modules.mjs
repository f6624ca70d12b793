import { createViteServer } from 'vitest/node';
import { root } from './repository.mjs';

/**
 * Runs work with modules of test/, which are TypeScript, by Vitest's loader.
 * @param work receives the function that loads a module by its path in this repository
 */
export async function withTestModules(work) {
  const vite = await createViteServer({
    root,
    configFile: false,
    logLevel: 'error',
    server: { middlewareMode: true, ws: false, watch: null },
  });
  try {
    await work((path) => vite.ssrLoadModule(path));
  } finally {
    await vite.close();
  }
}
