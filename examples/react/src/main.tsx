import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './app.css';

if (import.meta.env.DEV) {
  const { startSimulator } = await import('./dev/simulator.ts');
  await startSimulator();
}

const baseUrl = import.meta.env.VITE_PETSTORE_URL ?? 'https://api.petstore.example/v1';
const apiKey = import.meta.env.VITE_PETSTORE_KEY ?? 'free-key';

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <App baseUrl={baseUrl} apiKey={apiKey} />
  </StrictMode>,
);
