import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [react()],
  // Excludes msw's worker from the build, because only development needs it.
  build: { copyPublicDir: false },
  test: { include: ['test/**/*.test.{ts,tsx}'] },
});
