/**
 * Next.js calls this function once at its start. In development, it routes requests of server components to the
 * simulator.
 */
export async function register() {
  if (process.env.NEXT_RUNTIME !== 'nodejs' || process.env.NODE_ENV !== 'development') return;
  const [{ setupServer }, { createSimulator }, { handlers }] = await Promise.all([
    import('msw/node'),
    import('petstore-sim'),
    import('petstore-sim/msw'),
  ]);
  // The key has one request left, so that the page also shows its behavior after the limit.
  const sim = createSimulator({ scenario: { keys: { 'free-key': { usage: { minute: 'all but 1' } } } } });
  const server = setupServer(...handlers(sim, { baseUrl: 'https://api.petstore.example/v1' }));
  server.listen({ onUnhandledRequest: 'bypass' });
}
