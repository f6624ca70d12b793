import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [react()],
  // The worker is only for development and must not be part of the build.
  build: { copyPublicDir: false },
  test: { include: ['test/**/*.test.{ts,tsx}'] },
});
