import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [react()],
  // The worker is for development only, and must not get into the build.
  build: { copyPublicDir: false },
  test: { include: ['test/**/*.test.{ts,tsx}'] },
});
