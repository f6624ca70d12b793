import type { Backend } from '../../control/backend.js';
import { type ListenOptions, listenTo, type RunningServer } from './server.js';

/**
 * Serves what was opened, and closes it after the server; also where there is no server.
 * @throws as `listen`
 */
export async function listenToOpened(
  opened: { readonly backend: Backend; close(): Promise<void> },
  options: ListenOptions,
): Promise<Omit<RunningServer, 'sandboxes'>> {
  const server = await listenTo(opened.backend, options).catch(async (error) => {
    await opened.close();
    throw error;
  });
  return {
    ...server,
    async close(how) {
      await server.close(how);
      await opened.close();
    },
  };
}
